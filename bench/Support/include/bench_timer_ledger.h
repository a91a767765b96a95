#pragma once

#include "bench_clock.h"
#include "bench_latency.h"
#include "bench_payload.h"

#include <stddef.h>
#include <stdint.h>

/// What a row writes down while its timers start and fire, and what is checked
/// after the clock has stopped: each fired once, none early by the loop's own
/// clock, in the order of deadlines, equal deadlines in the order of starting.
struct bench_timer_ledger {
  size_t capacity;
  size_t fired;
  size_t surplus;
  uint64_t *deadline_ms;  // by index
  uint64_t *fired_at_ms;  // by order of firing
  uint32_t *order;        // by order of firing
  struct bench_latency *latencies;
};

/// A ledger for `capacity` timers, or null when there is no memory.
struct bench_timer_ledger *bench_timer_ledger_create(size_t capacity, struct bench_latency *latencies);
void bench_timer_ledger_destroy(struct bench_timer_ledger *ledger);

/// Null when all is well, else what was wrong. The checksum covers the order.
const char *bench_timer_ledger_check(const struct bench_timer_ledger *ledger, uint64_t *checksum);

/// The delay of the timer at `index`: with no `spread`, a millisecond more for
/// every thousand timers (libuv's own benchmark); else anything below `spread`
/// milliseconds, from the seed.
static inline uint64_t bench_timer_delay_ms(uint64_t index, uint64_t spread, uint64_t seed) {
  return spread == 0 ? 1 + index / 1000 : 1 + bench_mix(seed + index) % spread;
}

/// The length of a timer that is cancelled.
enum { BENCH_TIMEOUT_MS = 30000 };

/// The delay of one of the timers that run while others are started and cancelled: most of theirs are later, as in a
/// server whose connections have limits of several kinds.
static inline uint64_t bench_standing_delay_ms(uint64_t index, uint64_t seed) {
  return 20000 + bench_mix(seed + index) % 40000;
}

static inline void bench_timer_started(
    struct bench_timer_ledger *ledger, uint32_t index, uint64_t loop_now_ms, uint64_t delay_ms) {
  ledger->deadline_ms[index] = loop_now_ms + delay_ms;
}

/// `loop_now_ms` is the loop's own time, on the scale of the monotonic clock.
static inline void bench_timer_fired(
    struct bench_timer_ledger *ledger, uint32_t index, uint64_t loop_now_ms) {
  if (ledger->fired == ledger->capacity) {
    ledger->surplus++;
    return;
  }
  ledger->order[ledger->fired] = index;
  ledger->fired_at_ms[ledger->fired++] = loop_now_ms;
  if (bench_latency_is_sampled(index)) {
    uint64_t now = bench_now_ns(), deadline = ledger->deadline_ms[index] * 1000000u;
    bench_latency_record(ledger->latencies, now > deadline ? now - deadline : 0);
  }
}
