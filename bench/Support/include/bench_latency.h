#pragma once

#include <stdint.h>

/// HdrHistogram's layout for three significant digits and 1 ns to 60 s: 2048
/// sub-buckets, of which every bucket but the first uses the upper half.
enum {
  BENCH_LATENCY_SUB_BUCKET_BITS = 11,
  BENCH_LATENCY_HALF = 1 << (BENCH_LATENCY_SUB_BUCKET_BITS - 1),
  BENCH_LATENCY_BUCKETS = 36 - BENCH_LATENCY_SUB_BUCKET_BITS + 1,
  BENCH_LATENCY_COUNTS = (BENCH_LATENCY_BUCKETS + 1) * BENCH_LATENCY_HALF,
};

/// Counts of latencies in nanoseconds. Recording allocates nothing.
struct bench_latency {
  uint64_t total;
  uint64_t max;
  uint64_t counts[BENCH_LATENCY_COUNTS];
};

/// An empty histogram, or null when there is no memory.
struct bench_latency *bench_latency_create(void);
void bench_latency_destroy(struct bench_latency *latencies);
void bench_latency_reset(struct bench_latency *latencies);

/// The lowest value that falls into the bucket at `index`.
uint64_t bench_latency_value(uint32_t index);

/// How many latencies fell into the bucket at `index`.
static inline uint64_t bench_latency_count(const struct bench_latency *latencies, uint32_t index) {
  return latencies->counts[index];
}

/// The bucket of `value`; values above 60 s (or so) share the last one.
static inline uint32_t bench_latency_index(uint64_t value) {
  uint32_t bits = 64 - (uint32_t)__builtin_clzll(value | (2 * BENCH_LATENCY_HALF - 1));
  uint32_t bucket = bits - BENCH_LATENCY_SUB_BUCKET_BITS;
  if (bucket >= BENCH_LATENCY_BUCKETS) return BENCH_LATENCY_COUNTS - 1;
  return bucket * BENCH_LATENCY_HALF + (uint32_t)(value >> bucket);
}

static inline void bench_latency_record(struct bench_latency *latencies, uint64_t nanoseconds) {
  latencies->counts[bench_latency_index(nanoseconds)]++;
  latencies->total++;
  if (nanoseconds > latencies->max) latencies->max = nanoseconds;
}

/// Cheap operations are timed once in this many, so that reading the clock does
/// not become what is measured.
enum { BENCH_LATENCY_STRIDE = 64 };
static inline int bench_latency_is_sampled(uint64_t index) {
  return (index & (BENCH_LATENCY_STRIDE - 1)) == 0;
}
