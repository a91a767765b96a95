#pragma once

#include <stdint.h>
#include <time.h>

/// Nanoseconds of the monotonic clock, which is also libuv's `uv_hrtime`.
static inline uint64_t bench_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
