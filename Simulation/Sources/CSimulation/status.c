// What is known of a file.

#include "disk.h"
#include "real.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HASH(path) hash_bytes(path, strlen(path))

static int status_of(const char *path, bool follows, struct stat *status) {
  struct place place;
  int code = disk_find(sim_self->host, path, follows, &place);
  if (code < 0) return code;
  if (!place.node) return -ENOENT;
  disk_status(place.node, status);
  return 0;
}

static int status_of_descriptor(int descriptor, struct stat *status) {
  struct file *file = file_of(descriptor);
  if (!file) return -EBADF;
  if (file->kind == &disk_kind) {
    disk_status(((struct open_file *)file)->node, status);
    return 0;
  }
  memset(status, 0, sizeof *status);
  status->st_mode = file->kind->type | 0600;
  status->st_ino = file->number;
  status->st_nlink = 1;
  return 0;
}

#define STATUS(name, type, ...)                                                                              \
  int name(__VA_ARGS__, struct type *restrict status)
STATUS(stat, stat, const char *restrict path) {
  if (LEAVES(0)) return REAL(stat)(path, status);
  return (int)traced(CALL_stat, -1, UNLESS_PLANNED(CALL_stat, status_of(path, true, status)), HASH(path));
}
STATUS(lstat, stat, const char *restrict path) {
  if (LEAVES(0)) return REAL(lstat)(path, status);
  return (int)traced(CALL_stat, -1, UNLESS_PLANNED(CALL_stat, status_of(path, false, status)), HASH(path));
}
STATUS(stat64, stat64, const char *restrict path) {
  if (LEAVES(0)) return REAL(stat64)(path, status);
  return (int)traced(CALL_stat, -1, UNLESS_PLANNED(CALL_stat, status_of(path, true, (struct stat *)status)), HASH(path));
}
STATUS(lstat64, stat64, const char *restrict path) {
  if (LEAVES(0)) return REAL(lstat64)(path, status);
  return (int)traced(CALL_stat, -1, UNLESS_PLANNED(CALL_stat, status_of(path, false, (struct stat *)status)), HASH(path));
}

int fstat(int descriptor, struct stat *status) {
  if (LEAVES(descriptor)) return REAL(fstat)(descriptor, status);
  return (int)traced(CALL_stat, descriptor, status_of_descriptor(descriptor, status), 0);
}

int fstat64(int descriptor, struct stat64 *status) {
  if (LEAVES(descriptor)) return REAL(fstat64)(descriptor, status);
  return fstat(descriptor, (struct stat *)status);
}

static int status_at(int directory, const char *path, int flags, struct stat *status) {
  struct place place;
  int code = disk_find_at(sim_self->host, directory, path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
  if (code == 0 && !place.node) code = -ENOENT;
  if (code == 0) disk_status(place.node, status);
  return (int)traced(CALL_stat, -1, code, HASH(path));
}

int fstatat(int directory, const char *restrict path, struct stat *restrict status, int flags) {
  return !LEAVES(0) ? status_at(directory, path, flags, status) : REAL(fstatat)(directory, path, status, flags);
}

int fstatat64(int directory, const char *restrict path, struct stat64 *restrict status, int flags) {
  if (LEAVES(0)) return REAL(fstatat64)(directory, path, status, flags);
  return status_at(directory, path, flags, (struct stat *)status);
}

static struct statx_timestamp stamp(uint64_t time) {
  return (struct statx_timestamp){.tv_sec = (int64_t)(time / 1000000000), .tv_nsec = (uint32_t)(time % 1000000000)};
}

/// `statx`, which libuv calls by number.
long statx_simulated(int directory, const char *path, int flags, struct statx *to);
long statx_simulated(int directory, const char *path, int flags, struct statx *to) {
  if (LEAVES(*path ? 0 : directory)) {
    long code = REAL(syscall)(SYS_statx, directory, path, flags, STATX_BASIC_STATS | STATX_BTIME, to);
    return code < 0 ? -errno : code;
  }
  struct stat status;
  struct node *node = NULL;
  int code = planned(CALL_stat);
  if (code < 0) return code;
  if ((flags & AT_EMPTY_PATH) && !*path) {
    code = status_of_descriptor(directory, &status);
    struct file *file = file_of(directory);
    if (file && file->kind == &disk_kind) node = ((struct open_file *)file)->node;
  } else {
    struct place place;
    code = disk_find(sim_self->host, path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
    if (code == 0 && !place.node) code = -ENOENT;
    if (code == 0) disk_status(node = place.node, &status);
  }
  if (code == 0) {
    memset(to, 0, sizeof *to);
    to->stx_mask = STATX_BASIC_STATS | STATX_BTIME;
    to->stx_blksize = (uint32_t)status.st_blksize;
    to->stx_nlink = (uint32_t)status.st_nlink;
    to->stx_uid = status.st_uid;
    to->stx_gid = status.st_gid;
    to->stx_mode = (uint16_t)status.st_mode;
    to->stx_ino = status.st_ino;
    to->stx_size = (uint64_t)status.st_size;
    to->stx_blocks = (uint64_t)status.st_blocks;
    to->stx_dev_major = 8;
    to->stx_dev_minor = 1;
    if (node) {
      to->stx_atime = stamp(node->accessed);
      to->stx_mtime = stamp(node->modified);
      to->stx_ctime = stamp(node->changed);
      to->stx_btime = stamp(node->born);
    }
  }
  trace_call(CALL_stat, -1, code, HASH(path));
  return code;
}

int access(const char *path, int mode) {
  if (LEAVES(0)) return REAL(access)(path, mode);
  struct stat status;
  int code = status_of(path, true, &status);
  if (code == 0 && (status.st_mode >> 6 & (uint32_t)mode) != (uint32_t)mode) code = -EACCES;
  return (int)traced(CALL_access, -1, code, HASH(path));
}
