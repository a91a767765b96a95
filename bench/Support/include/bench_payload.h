#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// One round of splitmix64: a cheap, well-spread function of its argument.
static inline uint64_t bench_mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// What operation `index` adds to the checksum of a run when it answered `value`.
/// The sum does not depend on the order of completion.
static inline uint64_t bench_share(uint64_t index, uint64_t value) {
  return bench_mix(bench_mix(index) ^ value);
}

/// Fills `bytes` with `count` bytes that follow from `seed`.
static inline void bench_fill(void *bytes, size_t count, uint64_t seed) {
  unsigned char *out = (unsigned char *)bytes;
  for (size_t at = 0; at < count; at += 8) {
    uint64_t word = bench_mix(seed + at);
    memcpy(out + at, &word, count - at < 8 ? count - at : 8);
  }
}

/// A hash of `count` bytes, a word at a time.
static inline uint64_t bench_hash(const void *bytes, size_t count) {
  const unsigned char *in = (const unsigned char *)bytes;
  uint64_t hash = 0xcbf29ce484222325u ^ count;
  size_t at = 0;
  for (; at + 8 <= count; at += 8) {
    uint64_t word;
    memcpy(&word, in + at, 8);
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    hash ^= hash >> 32;
  }
  for (; at < count; at++) hash = (hash ^ in[at]) * 0x100000001b3u;
  return bench_mix(hash);
}

/// Three transformations of a value.
static inline uint64_t bench_step_one(uint64_t value) { return value * 3 + 1; }
static inline uint64_t bench_step_two(uint64_t value) { return value ^ (value >> 7); }
static inline uint64_t bench_step_three(uint64_t value) { return value + 0x5851f42d4c957f2du; }
