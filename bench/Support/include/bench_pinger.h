#pragma once

#include "bench_latency.h"

#include <stdint.h>

/// The other thread of `wakeup`. It wakes the loop through `send`, waits for the
/// answer, and does so again; one wake-up is in flight. After the last answer it
/// wakes the loop once more, to say that it has finished.
struct bench_pinger;

/// Starts the thread; null when that fails. `cpu` pins it, unless negative.
struct bench_pinger *bench_pinger_start(
    uint64_t operations, struct bench_latency *latencies, int cpu,
    void (*send)(void *context), void *context);

/// Called on the loop when it was woken. Returns 1 while there is more to come,
/// 0 when the thread has finished, -1 for a wake-up that nobody sent (a loop may
/// report one twice; it is ignored).
int bench_pinger_answer(struct bench_pinger *pinger);

/// Joins the thread and returns the checksum of the answers. `answered` is how
/// many there were.
uint64_t bench_pinger_join(struct bench_pinger *pinger, uint64_t *answered);
