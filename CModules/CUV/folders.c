// Watching a folder and all below it: the system calls.
#define _GNU_SOURCE
// musl has `dirent64` only with this.
#define _LARGEFILE64_SOURCE
#include "cuv.h"

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK };

int cuv_folder_open(const char *path, uint64_t *device, uint64_t *inode) {
  int descriptor;
  do descriptor = open(path, FOLDER);
  while (descriptor < 0 && errno == EINTR);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) < 0) {
    int error = uv_translate_sys_error(errno);
    if (descriptor >= 0) close(descriptor);
    return error;
  }
  *device = status.st_dev;
  *inode = status.st_ino;
  return descriptor;
}

int cuv_inotify_open(void) {
  int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  return events < 0 ? uv_translate_sys_error(errno) : events;
}

/// Somebody may put a symbolic link in the place of a folder that was listed. None is followed on the way.
static int open_below(int root, const char *path) {
  if (*path == 0) return openat(root, ".", FOLDER);
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  struct open_how how = {
      .flags = FOLDER | O_NOFOLLOW, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  long descriptor = syscall(SYS_openat2, root, path, &how, sizeof how);
  // Kernels before 5.6, and some containers, don't know it.
  if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)descriptor;
#endif
  return openat(root, path, FOLDER | O_NOFOLLOW);
}

static bool has_changed(const struct stat *status, int64_t since) {
  int64_t changed = status->st_ctim.tv_sec * 1000000000ll + status->st_ctim.tv_nsec;
  int64_t written = status->st_mtim.tv_sec * 1000000000ll + status->st_mtim.tv_nsec;
  return changed >= since || written >= since;
}

int cuv_folder_watch(int events, int root, const char *path, int64_t since, struct cuv_folder *folder) {
  int descriptor;
  do descriptor = open_below(root, path);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return uv_translate_sys_error(errno);
  // By its descriptor, so that what is watched is what is listed, even if another folder takes the path.
  char name[32];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  uint32_t mask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | IN_ONLYDIR |
                  IN_EXCL_UNLINK;
  if (*path == 0) mask |= IN_DELETE_SELF | IN_MOVE_SELF;
  int watch = inotify_add_watch(events, name, mask);
  struct stat status;
  if (watch < 0 || (since != INT64_MAX && fstat(descriptor, &status) < 0)) {
    int error = uv_translate_sys_error(errno);
    close(descriptor);
    // The folder is open. So it is /proc that is missing.
    return error == UV_ENOENT ? UV_ENOTSUP : error;
  }
  *folder = (struct cuv_folder){
      .descriptor = descriptor, .watch = watch, .has_changed = since != INT64_MAX && has_changed(&status, since)};
  return 0;
}

/// Reads the next names that the system has; the number of bytes that it wrote for them, 0 at the end.
static long next_entries(int descriptor, char *buffer, size_t size) {
  long count;
  do count = syscall(SYS_getdents64, descriptor, buffer, size);
  while (count < 0 && errno == EINTR);
  return count;
}

ssize_t cuv_folder_list(int descriptor, int64_t since, bool all, char *buffer, size_t size) {
  char *end = buffer;
  // It may be that no name of many is wanted. That isn't the end yet.
  while (end == buffer) {
    long count = next_entries(descriptor, buffer, size);
    if (count <= 0) return count < 0 ? uv_translate_sys_error(errno) : 0;
    for (long at = 0; at < count;) {
      struct dirent64 *entry = (struct dirent64 *)(buffer + at);
      at += entry->d_reclen;
      const char *name = entry->d_name;
      if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0))) continue;
      bool is_folder = entry->d_type == DT_DIR;
      bool is_changed = false;
      struct stat status;
      if ((since != INT64_MAX || entry->d_type == DT_UNKNOWN) &&
          fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        is_folder = S_ISDIR(status.st_mode);
        is_changed = since != INT64_MAX && has_changed(&status, since);
      }
      if (!all && !is_folder && !is_changed) continue;
      // An entry of ours is shorter than the one that it overwrites.
      size_t length = strlen(name) + 1;
      *end++ = (char)(CUV_ENTRY | (is_folder ? CUV_ENTRY_FOLDER : 0) | (is_changed ? CUV_ENTRY_CHANGED : 0));
      memmove(end, name, length);
      end += length;
    }
  }
  return end - buffer;
}

void cuv_folder_forget(int events, int watch) { inotify_rm_watch(events, watch); }

ssize_t cuv_inotify_read(int events, char *buffer, size_t size) {
  ssize_t count;
  do count = read(events, buffer, size);
  while (count < 0 && errno == EINTR);
  if (count >= 0) return count;
  return errno == EAGAIN ? 0 : uv_translate_sys_error(errno);
}

int64_t cuv_folder_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}
#endif
