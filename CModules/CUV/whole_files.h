// Whole files, in one job of the thread pool.
#pragma once

#include <uv.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Closes a descriptor; 0 or a libuv error code. The system has let go of it even if it was interrupted.
static inline int cuv_close(int fd) { return close(fd) < 0 && errno != EINTR ? uv_translate_sys_error(errno) : 0; }

/// Reads the file at `path` whole into a malloc'd buffer. Returns 0 or a libuv error code.
static inline int cuv_read_file(const char *path, size_t limit, void **bytes, size_t *count) {
  *bytes = NULL;
  *count = 0;
  int fd, error = 0;
  do fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return uv_translate_sys_error(errno);
  struct stat status;
  if (fstat(fd, &status) < 0) {
    error = uv_translate_sys_error(errno);
  } else if (S_ISDIR(status.st_mode)) {
    error = UV_EISDIR;
  } else {
    // One byte more than the size, so that the end of the file shows itself without growing the buffer.
    size_t capacity = (status.st_size > 0 ? (size_t)status.st_size : 4096) + 1, length = 0;
    if (capacity > limit) capacity = limit + 1;
    char *buffer = (char *)malloc(capacity);
    if (!buffer) error = UV_ENOMEM;
    while (!error) {
      if (length == capacity) {
        if (length > limit) { error = UV_EFBIG; break; }
        size_t larger = capacity * 2 > limit ? limit + 1 : capacity * 2;
        char *moved = (char *)realloc(buffer, larger);
        if (!moved) { error = UV_ENOMEM; break; }
        buffer = moved;
        capacity = larger;
      }
      size_t room = capacity - length;
      ssize_t got = read(fd, buffer + length, room > 0x40000000 ? 0x40000000 : room);
      if (got == 0) break;
      if (got > 0) length += (size_t)got;
      else if (errno != EINTR) error = uv_translate_sys_error(errno);
    }
    if (!error && length > limit) error = UV_EFBIG;
    if (error) {
      free(buffer);
    } else {
      *bytes = buffer;
      *count = length;
    }
  }
  close(fd);
  return error;
}

static inline int cuv_write_all(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t put = write(fd, bytes, count > 0x40000000 ? 0x40000000 : count);
    if (put >= 0) {
      bytes += put;
      count -= (size_t)put;
    } else if (errno != EINTR) {
      return uv_translate_sys_error(errno);
    }
  }
  return 0;
}

/// Writes a file whole. With `atomic`, writes a temporary file beside it and renames that over it, so that a
/// reader sees the old contents or the new and never a part. Returns 0 or a libuv error code.
static inline int cuv_write_file(const char *path, const void *bytes, size_t count, int mode, int atomic) {
  int fd, error;
  if (!atomic) {
    do fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return uv_translate_sys_error(errno);
    error = cuv_write_all(fd, (const char *)bytes, count);
    int closed = cuv_close(fd);
    return error ? error : closed;
  }
  size_t length = strlen(path);
  char *temporary = (char *)malloc(length + 8);
  if (!temporary) return UV_ENOMEM;
  memcpy(temporary, path, length);
  do {
    // Each time anew: a call that fails may have changed it.
    memcpy(temporary + length, ".XXXXXX", 8);
    fd = mkostemp(temporary, O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    error = uv_translate_sys_error(errno);
  } else {
    struct stat old;
    error = cuv_write_all(fd, (const char *)bytes, count);
    // mkostemp's 0600 is not what a reader of the finished file expects.
    if (!error && fchmod(fd, stat(path, &old) == 0 ? old.st_mode & 07777 : (mode_t)mode) < 0)
      error = uv_translate_sys_error(errno);
    if (!error && fsync(fd) < 0) error = uv_translate_sys_error(errno);
    int closed = cuv_close(fd);
    if (!error) error = closed;
    if (!error && rename(temporary, path) < 0) error = uv_translate_sys_error(errno);
    if (error) unlink(temporary);
  }
  free(temporary);
  return error;
}

/// A whole file to be read or written on the thread pool.
struct cuv_file_job {
  uv_work_t work;
  char *path;
  void *bytes;
  size_t count, limit;
  int mode, atomic, writes, result;
};

static inline void cuv_file_job_run(uv_work_t *work) {
  struct cuv_file_job *job = (struct cuv_file_job *)work;
  job->result = job->writes ? cuv_write_file(job->path, job->bytes, job->count, job->mode, job->atomic)
                            : cuv_read_file(job->path, job->limit, &job->bytes, &job->count);
}

static inline int cuv_file_job_queue(uv_loop_t *loop, struct cuv_file_job *job, uv_after_work_cb done) {
  return uv_queue_work(loop, &job->work, cuv_file_job_run, done);
}
