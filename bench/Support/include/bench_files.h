#pragma once

#include <stddef.h>
#include <stdint.h>

/// How many files the file workloads go round.
enum { BENCH_FILES = 64 };

/// The path of file `index` below `directory`.
void bench_file_path(char *path, size_t capacity, const char *directory, uint32_t index);

/// The size of file `index`: `size`, plus `step` for each file before it.
static inline uint64_t bench_file_size(uint32_t index, uint64_t size, uint64_t step) {
  return size + index * step;
}

/// Writes the files below `directory`, contents from `seed`, and the hash of each
/// into `hashes` (of `BENCH_FILES`). Zero, or an `errno`.
int bench_files_write(
    const char *directory, uint64_t size, uint64_t step, uint64_t seed, uint64_t *hashes);
