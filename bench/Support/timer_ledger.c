#include "bench_timer_ledger.h"

#include "bench_payload.h"

#include <stdlib.h>

struct bench_timer_ledger *bench_timer_ledger_create(size_t capacity, struct bench_latency *latencies) {
  struct bench_timer_ledger *ledger = calloc(1, sizeof *ledger);
  if (ledger == NULL) return NULL;
  ledger->capacity = capacity;
  ledger->latencies = latencies;
  ledger->deadline_ms = malloc(capacity * sizeof *ledger->deadline_ms + 1);
  ledger->fired_at_ms = malloc(capacity * sizeof *ledger->fired_at_ms + 1);
  ledger->order = malloc(capacity * sizeof *ledger->order + 1);
  if (ledger->deadline_ms && ledger->fired_at_ms && ledger->order) {
    // Touch the pages now: a page fault is not what a timer costs.
    for (size_t i = 0; i < capacity; i++) {
      ledger->deadline_ms[i] = UINT64_MAX;
      ledger->fired_at_ms[i] = 0;
      ledger->order[i] = 0;
    }
    return ledger;
  }
  bench_timer_ledger_destroy(ledger);
  return NULL;
}

void bench_timer_ledger_destroy(struct bench_timer_ledger *ledger) {
  if (ledger == NULL) return;
  free(ledger->deadline_ms);
  free(ledger->fired_at_ms);
  free(ledger->order);
  free(ledger);
}

const char *bench_timer_ledger_check(const struct bench_timer_ledger *ledger, uint64_t *checksum) {
  if (ledger->surplus > 0) return "a timer fired more than once";
  if (ledger->fired < ledger->capacity) return "a timer did not fire";
  unsigned char *seen = calloc(ledger->capacity + 1, 1);
  if (seen == NULL) return "out of memory";
  const char *wrong = NULL;
  uint64_t sum = 0;
  for (size_t k = 0; k < ledger->fired && wrong == NULL; k++) {
    uint32_t index = ledger->order[k];
    if (index >= ledger->capacity || seen[index]) {
      wrong = "a timer fired more than once";
    } else if (ledger->fired_at_ms[k] < ledger->deadline_ms[index]) {
      wrong = "a timer fired early";
    } else if (k > 0) {
      uint32_t before = ledger->order[k - 1];
      uint64_t earlier = ledger->deadline_ms[before], later = ledger->deadline_ms[index];
      if (earlier > later) wrong = "timers fired out of the order of their deadlines";
      if (earlier == later && before > index) wrong = "equal deadlines fired out of order";
    }
    if (wrong == NULL) {
      seen[index] = 1;
      sum += bench_share(index, 1);
    }
  }
  free(seen);
  *checksum = sum;
  return wrong;
}
