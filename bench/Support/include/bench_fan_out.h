#pragma once

#include <stdint.h>

/// `fan-out`: bytes that may wait for a connection. While there are more, it misses what is said.
enum { BENCH_FAN_OUT_MARK = 65536 };

/// How a message begins that says how many others were missed. The others begin with their numbers.
static inline uint64_t bench_fan_out_notice(uint64_t missed) { return missed | (uint64_t)1 << 63; }

/// How many messages were missed, by how one begins; zero if it is one of them.
static inline uint64_t bench_fan_out_missed(uint64_t head) { return head >> 63 == 0 ? 0 : head & ~((uint64_t)1 << 63); }
