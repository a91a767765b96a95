#include "bench_files.h"

#include "bench_payload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void bench_file_path(char *path, size_t capacity, const char *directory, uint32_t index) {
  snprintf(path, capacity, "%s/file-%02u", directory, index);
}

static int write_file(const char *path, const void *bytes, size_t count) {
  int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int error = 0;
  for (size_t at = 0; at < count && error == 0;) {
    ssize_t wrote = write(fd, (const char *)bytes + at, count - at);
    if (wrote < 0 && errno != EINTR) error = errno;
    if (wrote > 0) at += (size_t)wrote;
  }
  if (close(fd) < 0 && error == 0) error = errno;
  return error;
}

int bench_files_write(
    const char *directory, uint64_t size, uint64_t step, uint64_t seed, uint64_t *hashes) {
  void *bytes = malloc(bench_file_size(BENCH_FILES, size, step) + 8);
  if (bytes == NULL) return ENOMEM;
  int error = 0;
  for (uint32_t i = 0; i < BENCH_FILES && error == 0; i++) {
    char path[4096];
    size_t count = bench_file_size(i, size, step);
    bench_fill(bytes, count, bench_mix(seed ^ i));
    hashes[i] = bench_hash(bytes, count);
    bench_file_path(path, sizeof path, directory, i);
    error = write_file(path, bytes, count);
  }
  free(bytes);
  return error;
}
