// What was called, and a number that depends on all of it.

#include "kernel.h"

#include <string.h>

static const char *const names[] = {
#define CALL(name) #name,
#include "calls.inc"
#undef CALL
};

const char *sim_call_name(uint16_t call) { return call < CALL_COUNT ? names[call] : "?"; }

static inline uint64_t folded(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9E3779B97F4A7C15u;
  return digest ^ (digest >> 29);
}

uint64_t hash_bytes(const void *bytes, size_t count) {
  const char *next = bytes;
  uint64_t hash = count;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    hash = folded(hash, word);
  }
  uint64_t word = 0;
  memcpy(&word, next, count);
  return folded(hash, word);
}

static void trace_at(
    uint8_t host, uint8_t thread, enum call call, int descriptor, int64_t result, uint64_t bytes);

void trace_call(enum call call, int descriptor, int64_t result, uint64_t bytes) {
  struct thread *thread = kernel.running;
  trace_at(thread ? thread->host->number : 0, thread ? (uint8_t)thread->number : 0, call, descriptor, result, bytes);
}

void trace_arrival(const struct sim_host *from, const struct sim_host *to, uint64_t sent, size_t size) {
  trace_at(to->number, 0, CALL_deliver, from->number, (int64_t)size, sent);
}

static void trace_at(
    uint8_t host, uint8_t thread, enum call call, int descriptor, int64_t result, uint64_t bytes) {
  struct sim_entry entry = {
      .time = kernel.now,
      .bytes = bytes,
      .result = result,
      .descriptor = descriptor,
      .call = (uint16_t)call,
      .host = host,
      .thread = thread,
  };
  kernel.trace[kernel.steps++ & (kernel.options.trace_capacity - 1)] = entry;
  uint64_t place = (uint64_t)entry.call << 48 | (uint64_t)entry.host << 40 | (uint64_t)entry.thread << 32;
  uint64_t digest = folded(kernel.digest, place | (uint32_t)descriptor);
  digest = folded(digest, entry.time);
  digest = folded(digest, (uint64_t)result);
  kernel.digest = folded(digest, bytes);
}

long traced(enum call call, int descriptor, long result, uint64_t bytes) {
  trace_call(call, descriptor, result, bytes);
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

uint64_t sim_steps(void) { return kernel.steps; }
uint64_t sim_digest(void) { return kernel.digest; }

size_t sim_trace_count(void) {
  return kernel.steps < kernel.options.trace_capacity ? kernel.steps : kernel.options.trace_capacity;
}

uint64_t sim_trace_first(void) { return kernel.steps - sim_trace_count(); }

struct sim_entry sim_trace_entry(size_t index) {
  return kernel.trace[(sim_trace_first() + index) & (kernel.options.trace_capacity - 1)];
}
