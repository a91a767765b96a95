#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
  /// `resp-get-set`: keys of a connection, which no other uses: it knows what each must hold.
  BENCH_RESP_KEYS = 16,
  /// Bytes of a key, which is `key:` and twelve digits.
  BENCH_RESP_KEY = 16,
  /// Bytes of the largest value. As many requests or answers as there may be at a time fit into 64 KiB.
  BENCH_RESP_VALUE = 4000,
  /// The most bytes of a request or an answer beside the value.
  BENCH_RESP_FRAME = 64,
};

/// Whether request `index` sets a key, of which `sets` in a hundred do.
static inline int bench_resp_is_set(uint64_t index, uint64_t sets) {
  return index * sets / 100 != (index + 1) * sets / 100;
}

/// Makes a request. `value` is that of a key that is set; null to get it. How many bytes it has.
size_t bench_resp_request(char *bytes, uint64_t key, const char *value, size_t size);

/// Makes the answer: a value, or `OK` where that is null. How many bytes it has.
size_t bench_resp_answer(char *bytes, const char *value, size_t size);

/// How many bytes `gets` and `sets` requests for values of `size` bytes have, and their answers.
void bench_resp_bytes(size_t size, uint64_t gets, uint64_t sets, uint64_t *requests, uint64_t *answers);
