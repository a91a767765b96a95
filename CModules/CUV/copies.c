// Copies of files, in one job of the thread pool. libuv's own can't be stopped, waits at a FIFO, and makes a wrong
// copy if a disk fails for a moment only.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/sendfile.h>
#endif

/// How many bytes are copied between two looks at whether the job is to stop.
enum { STRETCH = 16 << 20, CHUNK = 65536 };

/// Shares the blocks of the original; false where the system or the file system can't.
static bool clone_file(int from, int to) {
#ifdef FICLONE
  return ioctl(to, FICLONE, from) == 0;
#else
  (void)from, (void)to;
  return false;
#endif
}

/// Copies up to `count` bytes at the descriptors' positions through memory. Returns how many, 0 at the end, or a
/// libuv error code.
static ssize_t copy_by_memory(int from, int to, char *memory) {
  ssize_t got;
  do got = read(from, memory, CHUNK);
  while (got < 0 && errno == EINTR);
  if (got < 0) return uv_translate_sys_error(errno);
  int error = cuv_write_all(to, memory, (size_t)got);
  return error ? error : got;
}

static int copy_contents(struct cuv_file_job *job, int from, int to, bool is_regular) {
  bool by_system = false;
#ifdef __linux__
  // Files of the system, such as those of /proc, have no size and can't be sent.
  by_system = is_regular;
#endif
  char *memory = NULL;
  ssize_t count = 1;
  while (count > 0) {
    if (cuv_file_job_is_cancelled(job)) count = UV_ECANCELED;
#ifdef __linux__
    else if (by_system) {
      // Neither position has moved if it fails.
      count = sendfile(to, from, NULL, STRETCH);
      if (count < 0 && errno == EINTR) count = 1;
      else if (count < 0 && (errno == EINVAL || errno == ENOSYS)) { by_system = false; count = 1; }
      else if (count < 0) count = uv_translate_sys_error(errno);
    }
#endif
    else if (!memory && !(memory = malloc(CHUNK))) count = UV_ENOMEM;
    else count = copy_by_memory(from, to, memory);
  }
  free(memory);
  return (int)count;
}

mode_t cuv_copied_mode(const struct stat *original, const struct stat *copy) {
  mode_t mode = original->st_mode & 07777;
  if (copy->st_uid != original->st_uid) mode &= ~(mode_t)S_ISUID;
  if (copy->st_gid != original->st_gid) mode &= ~(mode_t)S_ISGID;
  return mode;
}

int cuv_fill_copy(
    struct cuv_file_job *job, int from, int to, const struct stat *original, const struct stat *copy) {
  if (fchmod(to, cuv_copied_mode(original, copy)) < 0) {
    // File systems without permissions, such as those of other systems.
    if (errno != EPERM && errno != ENOTSUP) return uv_translate_sys_error(errno);
  }
  bool is_regular = S_ISREG(original->st_mode) && original->st_size > 0;
  if (job->mode & (UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE)) {
    if (clone_file(from, to)) return 0;
    if (job->mode & UV_FS_COPYFILE_FICLONE_FORCE) return UV_ENOTSUP;
  }
  return copy_contents(job, from, to, is_regular);
}

int cuv_copy_file(struct cuv_file_job *job) {
  int from = cuv_open_file(job->path, O_RDONLY, 0);
  if (from < 0) return from;
  struct stat original, copy;
  int error = fstat(from, &original) < 0 ? uv_translate_sys_error(errno) : 0;
  if (!error && S_ISDIR(original.st_mode)) error = UV_EISDIR;
  int flags = O_WRONLY | O_CREAT | (job->mode & UV_FS_COPYFILE_EXCL ? O_EXCL : 0);
  int to = error ? error : cuv_open_file(job->target, flags, original.st_mode & 07777);
  if (to < 0) {
    close(from);
    return to;
  }
  error = fstat(to, &copy) < 0 ? uv_translate_sys_error(errno) : 0;
  bool is_same = !error && original.st_dev == copy.st_dev && original.st_ino == copy.st_ino;
  // A device is written to, and never removed.
  bool is_made = !error && S_ISREG(copy.st_mode);
  if (!error && !is_same) {
    if (is_made && ftruncate(to, 0) < 0) error = uv_translate_sys_error(errno);
    if (!error) error = cuv_fill_copy(job, from, to, &original, &copy);
  }
  close(from);
  int closed = cuv_close(to);
  if (!error) error = closed;
  error = cuv_file_job_finish(job, error);
  if (error && is_made && !is_same) unlink(job->target);
  return error;
}
