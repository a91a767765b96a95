#pragma once

#include "bench_payload.h"

/// `overload`: a request, which asks for a job, and its answer, in which only `value` is another.
struct bench_job {
  /// Its number among the requests of the load generator.
  uint64_t index;
  uint64_t payload[6];
  /// Where the job begins. In an answer where it ended, or `BENCH_JOB_BUSY` if it never began.
  uint64_t value;
};

enum { BENCH_JOB = sizeof(struct bench_job), BENCH_JOB_BUSY = 0 };

/// Rounds of a job: a quarter of a millisecond or so, many times what it costs to say that there are too many.
enum { BENCH_JOB_ROUNDS = 50000 };

/// The job, which takes nothing but a processor.
static inline uint64_t bench_job_do(uint64_t value) {
  for (int i = 0; i < BENCH_JOB_ROUNDS; i++) value = bench_mix(value);
  // Never an answer without work.
  return value | 1;
}
