#include "bench_latency.h"

#include <stdlib.h>
#include <string.h>

struct bench_latency *bench_latency_create(void) {
  return calloc(1, sizeof(struct bench_latency));
}

void bench_latency_destroy(struct bench_latency *latencies) { free(latencies); }

void bench_latency_reset(struct bench_latency *latencies) {
  memset(latencies, 0, sizeof *latencies);
}

uint64_t bench_latency_value(uint32_t index) {
  if (index < 2 * BENCH_LATENCY_HALF) return index;
  uint32_t bucket = index / BENCH_LATENCY_HALF - 1;
  return (uint64_t)(index - bucket * BENCH_LATENCY_HALF) << bucket;
}
