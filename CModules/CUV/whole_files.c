// Whole files, in one job of the thread pool.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>

int cuv_read_file(const char *path, size_t limit, void **bytes, size_t *count) {
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
    // One byte more than the size, so that the end of the file is noticed without growing the buffer.
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

int cuv_write_all(int fd, const void *start, size_t count) {
  const char *bytes = start;
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

/// Opens the directory that contains a file, to use it with names in it. `length` is how many bytes of the
/// file's path name the directory.
static int cuv_open_directory(const char *path, size_t length) {
  if (length == 0) {
    path = ".";
    length = 1;
  }
  char *directory = (char *)malloc(length + 1);
  if (!directory) return UV_ENOMEM;
  memcpy(directory, path, length);
  directory[length] = 0;
#ifdef O_PATH
  // A directory may be writable without being readable.
  int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
  int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif
  int fd;
  do fd = open(directory, flags);
  while (fd < 0 && errno == EINTR);
  int error = errno;
  free(directory);
  return fd < 0 ? uv_translate_sys_error(error) : fd;
}

/// Makes a file with a name that no other file in the directory has. Only its owner may use it.
static int cuv_open_temporary(int directory, char name[24]) {
  for (int tries = 0; tries < 100; tries++) {
    uint64_t number;
    int code = uv_random(NULL, NULL, &number, sizeof number, 0, NULL);
    if (code < 0) return code;
    snprintf(name, 24, ".uv-%016llx", (unsigned long long)number);
    int fd;
    do fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0) return fd;
    if (errno != EEXIST) return uv_translate_sys_error(errno);
  }
  return UV_EEXIST;
}

/// Writes a temporary file in `directory`, under a name of its own, and renames it to `name`.
static int cuv_replace_file(int directory, const char *name, const void *bytes, size_t count, int mode) {
  char temporary[24];
  int fd = cuv_open_temporary(directory, temporary);
  if (fd < 0) return fd;
  struct stat old;
  int error = cuv_write_all(fd, bytes, count);
  // A reader of the finished file doesn't expect 0600.
  if (!error && fchmod(fd, fstatat(directory, name, &old, 0) == 0 ? old.st_mode & 07777 : (mode_t)mode) < 0)
    error = uv_translate_sys_error(errno);
  if (!error && fsync(fd) < 0) error = uv_translate_sys_error(errno);
  int closed = cuv_close(fd);
  if (!error) error = closed;
  if (!error && renameat(directory, temporary, directory, name) < 0) error = uv_translate_sys_error(errno);
  if (error) unlinkat(directory, temporary, 0);
  return error;
}

/// Waits until the names in a directory have reached the disk. The descriptor may be one that only names it.
static int cuv_sync_directory(int directory) {
  int fd;
  do fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return uv_translate_sys_error(errno);
  int error = fsync(fd) < 0 ? uv_translate_sys_error(errno) : 0;
  close(fd);
  return error;
}

int cuv_write_file(const char *path, const void *bytes, size_t count, int mode, int atomic, int sync) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  int directory = -1;
  if (atomic || sync) {
    if (*name == 0) return *path ? UV_EISDIR : UV_ENOENT;
    directory = cuv_open_directory(path, (size_t)(name - path));
    if (directory < 0) return directory;
  }
  if (atomic) {
    int error = cuv_replace_file(directory, name, bytes, count, mode);
    if (!error && sync) error = cuv_sync_directory(directory);
    close(directory);
    return error;
  }
  int fd;
  do fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  int error = fd < 0 ? uv_translate_sys_error(errno) : cuv_write_all(fd, bytes, count);
  if (!error && sync && fsync(fd) < 0) error = uv_translate_sys_error(errno);
  int closed = fd < 0 ? 0 : cuv_close(fd);
  if (!error) error = closed;
  if (!error && sync) error = cuv_sync_directory(directory);
  if (directory >= 0) close(directory);
  return error;
}

static void cuv_file_job_run(uv_work_t *work) {
  struct cuv_file_job *job = (struct cuv_file_job *)work;
  job->result = job->writes ? cuv_write_file(job->path, job->bytes, job->count, job->mode, job->atomic, job->sync)
                            : cuv_read_file(job->path, job->limit, &job->bytes, &job->count);
}

int cuv_file_job_queue(uv_loop_t *loop, struct cuv_file_job *job, uv_after_work_cb done) {
  return uv_queue_work(loop, &job->work, cuv_file_job_run, done);
}
