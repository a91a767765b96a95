// Whole files, in one job of the thread pool.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>

/// How many bytes are read or written between two looks at whether the job is to stop.
enum { STRETCH = 16 << 20 };

/// The longest path that Linux takes, with its NUL.
enum { PATH_ROOM = 4096 };

// The loop's thread and that of the pool agree on how a job ends: whoever comes first.
enum { GOES_ON, CANCELLED, DONE };

static bool end(struct cuv_file_job *job, int how) {
  int before = GOES_ON;
  return __atomic_compare_exchange_n(&job->end, &before, how, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool cuv_file_job_cancel(struct cuv_file_job *job) { return end(job, CANCELLED); }
bool cuv_file_job_commit(struct cuv_file_job *job) { return end(job, DONE); }
bool cuv_file_job_is_cancelled(struct cuv_file_job *job) {
  return __atomic_load_n(&job->end, __ATOMIC_RELAXED) == CANCELLED;
}

static int cuv_read_file(struct cuv_file_job *job) {
  int error = 0, fd = cuv_open_file(job->path, O_RDONLY, 0);
  size_t limit = job->limit;
  if (fd < 0) return fd;
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
      if (cuv_file_job_is_cancelled(job)) { error = UV_ECANCELED; break; }
      size_t room = capacity - length;
      ssize_t got = read(fd, buffer + length, room > STRETCH ? STRETCH : room);
      if (got == 0) break;
      if (got > 0) length += (size_t)got;
      else if (errno != EINTR) error = uv_translate_sys_error(errno);
    }
    if (!error && length > limit) error = UV_EFBIG;
    if (error) {
      free(buffer);
    } else {
      job->bytes = buffer;
      job->count = length;
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

int cuv_write_for_job(struct cuv_file_job *job, int fd, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    if (cuv_file_job_is_cancelled(job)) return UV_ECANCELED;
    size_t part = count > STRETCH ? STRETCH : count;
    int error = cuv_write_all(fd, rest, part);
    if (error) return error;
    rest += part;
    count -= part;
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

/// Only a file is replaced: a name of something else, such as a device, would be lost. Returns 0, a libuv error code,
/// or a result of opening.
static int cuv_refuse_other(int directory, const char *name) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || S_ISREG(status.st_mode)) return 0;
  if (S_ISFIFO(status.st_mode)) return CUV_IS_FIFO;
  if (S_ISSOCK(status.st_mode)) return CUV_IS_SOCKET;
  return S_ISDIR(status.st_mode) ? UV_EISDIR : UV_EINVAL;
}

int cuv_temporary_name(char name[24]) {
  uint64_t number;
  int code = uv_random(NULL, NULL, &number, sizeof number, 0, NULL);
  if (code == 0) snprintf(name, 24, ".uv-%016llx", (unsigned long long)number);
  return code;
}

/// Makes a file with a name that no other file in the directory has. Only its owner may use it.
static int cuv_open_temporary(int directory, char name[24]) {
  for (int tries = 0; tries < 100; tries++) {
    int code = cuv_temporary_name(name);
    if (code < 0) return code;
    int fd;
    do fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0) return fd;
    if (errno != EEXIST) return uv_translate_sys_error(errno);
  }
  return UV_EEXIST;
}

/// Writes a temporary file in `directory`, under a name of its own, and renames it to `name`.
static int cuv_replace_file(struct cuv_file_job *job, int directory, const char *name) {
  char temporary[24];
  int fd = cuv_open_temporary(directory, temporary);
  if (fd < 0) return fd;
  struct stat old;
  int error = cuv_write_for_job(job, fd, job->bytes, job->count);
  mode_t mode = fstatat(directory, name, &old, 0) == 0 ? old.st_mode & 07777 : (mode_t)job->mode;
  // A reader of the finished file doesn't expect 0600.
  if (!error && fchmod(fd, mode) < 0) error = uv_translate_sys_error(errno);
  if (!error && fsync(fd) < 0) error = uv_translate_sys_error(errno);
  int closed = cuv_close(fd);
  if (!error) error = closed;
  error = cuv_file_job_finish(job, error);
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

/// Follows symbolic links from a path to the name of a file, which may not exist. So a link stays, and its target is
/// what is written.
///
/// - Parameter found: Room for the result, of `PATH_ROOM` bytes.
/// Returns 0 or a libuv error code.
static int cuv_follow_links(const char *path, char *found) {
  char target[PATH_ROOM];
  if (strlen(path) >= PATH_ROOM) return UV_ENAMETOOLONG;
  strcpy(found, path);
  // As many links as Linux follows.
  for (int links = 0; links <= 40; links++) {
    ssize_t length = readlink(found, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    char *slash = strrchr(found, '/');
    char *begin = *target == '/' || !slash ? found : slash + 1;
    if (begin - found + length >= PATH_ROOM) return UV_ENAMETOOLONG;
    strcpy(begin, target);
  }
  return UV_ELOOP;
}

/// Replaces the contents in place.
static int cuv_overwrite_file(struct cuv_file_job *job) {
  int fd = cuv_open_file(job->path, O_WRONLY | O_CREAT | O_TRUNC, job->mode);
  if (fd < 0) return fd;
  int error = cuv_write_for_job(job, fd, job->bytes, job->count);
  if (!error && job->sync && fsync(fd) < 0) error = uv_translate_sys_error(errno);
  int closed = cuv_close(fd);
  if (!error) error = closed;
  error = cuv_file_job_finish(job, error);
  return error;
}

static int cuv_write_file(struct cuv_file_job *job) {
  if (!job->atomic && !job->sync) return cuv_overwrite_file(job);
  char path[PATH_ROOM];
  int error = cuv_follow_links(job->path, path);
  if (error) return error;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (*name == 0) return *path ? UV_EISDIR : UV_ENOENT;
  int directory = cuv_open_directory(path, (size_t)(name - path));
  if (directory < 0) return directory;
  error = job->atomic ? cuv_refuse_other(directory, name) : 0;
  if (!error) error = job->atomic ? cuv_replace_file(job, directory, name) : cuv_overwrite_file(job);
  if (!error && job->sync) error = cuv_sync_directory(directory);
  close(directory);
  return error;
}

static void cuv_file_job_run(uv_work_t *work) {
  struct cuv_file_job *job = (struct cuv_file_job *)work;
  switch (job->kind) {
    case CUV_JOB_READ: job->result = cuv_read_file(job); break;
    case CUV_JOB_WRITE: job->result = cuv_write_file(job); break;
    case CUV_JOB_COPY: job->result = cuv_copy_file(job); break;
    case CUV_JOB_MAKE_FOLDERS: job->result = cuv_make_folders(job); break;
    case CUV_JOB_REMOVE_TREE: job->result = cuv_remove_tree(job); break;
    case CUV_JOB_COPY_TREE: job->result = cuv_copy_tree(job); break;
    case CUV_JOB_MOVE: job->result = cuv_move(job); break;
  }
}

int cuv_file_job_queue(uv_loop_t *loop, struct cuv_file_job *job, uv_after_work_cb done) {
  return uv_queue_work(loop, &job->work, cuv_file_job_run, done);
}
