// Calls that name files.

#include "disk.h"
#include "real.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HASH(path) hash_bytes(path, strlen(path))

#define OPEN(name)                                                                                           \
  int name(const char *path, int flags, ...) {                                                               \
    va_list rest;                                                                                            \
    va_start(rest, flags);                                                                                   \
    mode_t mode = va_arg(rest, mode_t);                                                                      \
    va_end(rest);                                                                                            \
    if (!IS_SIMULATED) return REAL(name)(path, flags, mode);                                                 \
    return (int)traced(CALL_open, -1, disk_open(sim_self->host, AT_FDCWD, path, flags, mode), HASH(path));             \
  }
OPEN(open)
OPEN(open64)

/// The same, as the compiler calls it in checked code.
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) { return IS_SIMULATED ? open(path, flags) : REAL(__open_2)(path, flags); }
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) {
  return IS_SIMULATED ? open64(path, flags) : REAL(__open64_2)(path, flags);
}

int openat(int directory, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (!IS_SIMULATED) return REAL(openat)(directory, path, flags, mode);
  return (int)traced(CALL_open, -1, disk_open(sim_self->host, directory, path, flags, mode), HASH(path));
}

// MARK: Status

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
  if (!IS_SIMULATED) return REAL(stat)(path, status);
  return (int)traced(CALL_stat, -1, status_of(path, true, status), HASH(path));
}
STATUS(lstat, stat, const char *restrict path) {
  if (!IS_SIMULATED) return REAL(lstat)(path, status);
  return (int)traced(CALL_stat, -1, status_of(path, false, status), HASH(path));
}
STATUS(stat64, stat64, const char *restrict path) {
  if (!IS_SIMULATED) return REAL(stat64)(path, status);
  return (int)traced(CALL_stat, -1, status_of(path, true, (struct stat *)status), HASH(path));
}
STATUS(lstat64, stat64, const char *restrict path) {
  if (!IS_SIMULATED) return REAL(lstat64)(path, status);
  return (int)traced(CALL_stat, -1, status_of(path, false, (struct stat *)status), HASH(path));
}

static int standard_status(int descriptor, struct stat *status) {
  memset(status, 0, sizeof *status);
  status->st_mode = S_IFCHR | 0600;
  return 0;
}

int fstat(int descriptor, struct stat *status) {
  if (!IS_SIMULATED) return REAL(fstat)(descriptor, status);
  int code = descriptor <= 2 ? standard_status(descriptor, status) : status_of_descriptor(descriptor, status);
  return (int)traced(CALL_stat, descriptor, code, 0);
}

int fstat64(int descriptor, struct stat64 *status) {
  if (!IS_SIMULATED) return REAL(fstat64)(descriptor, status);
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
  return IS_SIMULATED ? status_at(directory, path, flags, status) : REAL(fstatat)(directory, path, status, flags);
}

int fstatat64(int directory, const char *restrict path, struct stat64 *restrict status, int flags) {
  if (!IS_SIMULATED) return REAL(fstatat64)(directory, path, status, flags);
  return status_at(directory, path, flags, (struct stat *)status);
}

static struct statx_timestamp stamp(uint64_t time) {
  return (struct statx_timestamp){.tv_sec = (int64_t)(time / 1000000000), .tv_nsec = (uint32_t)(time % 1000000000)};
}

/// `statx`, which libuv calls by number.
long statx_simulated(int directory, const char *path, int flags, struct statx *to);
long statx_simulated(int directory, const char *path, int flags, struct statx *to) {
  struct stat status;
  struct node *node = NULL;
  int code;
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
  if (!IS_SIMULATED) return REAL(access)(path, mode);
  struct stat status;
  int code = status_of(path, true, &status);
  if (code == 0 && (status.st_mode >> 6 & (uint32_t)mode) != (uint32_t)mode) code = -EACCES;
  return (int)traced(CALL_access, -1, code, HASH(path));
}

// MARK: Names

static int make_node(const char *path, uint32_t mode, const char *target) {
  struct place place;
  int code = disk_find(sim_self->host, path, false, &place);
  if (code < 0) return code;
  if (place.node) return -EEXIST;
  struct node *node = node_make(sim_self->host, mode);
  if (target) {
    node_resize(node, strlen(target));
    memcpy(node->bytes, target, strlen(target));
  }
  node_link(place.directory, place.name, node);
  return 0;
}

int mkdir(const char *path, mode_t mode) {
  if (!IS_SIMULATED) return REAL(mkdir)(path, mode);
  return (int)traced(CALL_mkdir, -1, make_node(path, S_IFDIR | (mode & 07777 & ~022u), NULL), HASH(path));
}

int symlink(const char *target, const char *path) {
  if (!IS_SIMULATED) return REAL(symlink)(target, path);
  int code = !*target ? -ENOENT : strlen(target) > 4095 ? -ENAMETOOLONG : make_node(path, S_IFLNK | 0777, target);
  return (int)traced(CALL_symlink, -1, code, HASH(path));
}

static int remove_name(int directory, const char *path, bool is_directory) {
  struct place place;
  int code = disk_find_at(sim_self->host, directory, path, false, &place);
  if (code < 0) return code;
  if (!place.node) return -ENOENT;
  if (is_directory) {
    if (!S_ISDIR(place.node->mode)) return -ENOTDIR;
    if (place.node->entries) return -ENOTEMPTY;
  } else if (S_ISDIR(place.node->mode)) {
    return -EISDIR;
  }
  struct entry *entry = node_entry(place.directory, place.name);
  if (!entry) return -EBUSY;
  node_unlink(place.directory, entry);
  return 0;
}

int unlink(const char *path) {
  if (!IS_SIMULATED) return REAL(unlink)(path);
  return (int)traced(CALL_unlink, -1, remove_name(AT_FDCWD, path, false), HASH(path));
}

int rmdir(const char *path) {
  if (!IS_SIMULATED) return REAL(rmdir)(path);
  return (int)traced(CALL_rmdir, -1, remove_name(AT_FDCWD, path, true), HASH(path));
}

int unlinkat(int directory, const char *path, int flags) {
  if (!IS_SIMULATED) return REAL(unlinkat)(directory, path, flags);
  return (int)traced(CALL_unlink, -1, remove_name(directory, path, flags & AT_REMOVEDIR), HASH(path));
}

static int rename_node(int from_directory, const char *from, int to_directory, const char *to) {
  struct place source, target;
  int code = disk_find_at(sim_self->host, from_directory, from, false, &source);
  if (code < 0) return code;
  if (!source.node) return -ENOENT;
  if ((code = disk_find_at(sim_self->host, to_directory, to, false, &target)) < 0) return code;
  if (target.node == source.node) return 0;
  struct entry *entry = node_entry(source.directory, source.name);
  if (!entry) return -EBUSY;
  if (target.node) {
    if (S_ISDIR(target.node->mode) && !S_ISDIR(source.node->mode)) return -EISDIR;
    if (!S_ISDIR(target.node->mode) && S_ISDIR(source.node->mode)) return -ENOTDIR;
    if (S_ISDIR(target.node->mode) && target.node->entries) return -ENOTEMPTY;
    node_unlink(target.directory, node_entry(target.directory, target.name));
  }
  for (struct node *above = target.directory; S_ISDIR(source.node->mode); above = above->parent) {
    if (above == source.node) return -EINVAL;
    if (above == above->parent) break;
  }
  node_link(target.directory, target.name, source.node);
  node_unlink(source.directory, entry);
  return 0;
}

int rename(const char *from, const char *to) {
  if (!IS_SIMULATED) return REAL(rename)(from, to);
  return (int)traced(CALL_rename, -1, rename_node(AT_FDCWD, from, AT_FDCWD, to), HASH(to));
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  if (!IS_SIMULATED) return REAL(renameat)(from_directory, from, to_directory, to);
  return (int)traced(CALL_rename, -1, rename_node(from_directory, from, to_directory, to), HASH(to));
}

int link(const char *from, const char *to) {
  if (!IS_SIMULATED) return REAL(link)(from, to);
  struct place source, target;
  int code = disk_find(sim_self->host, from, false, &source);
  if (code == 0 && !source.node) code = -ENOENT;
  if (code == 0 && S_ISDIR(source.node->mode)) code = -EPERM;
  if (code == 0) code = disk_find(sim_self->host, to, false, &target);
  if (code == 0 && target.node) code = -EEXIST;
  if (code == 0) node_link(target.directory, target.name, source.node);
  return (int)traced(CALL_link, -1, code, HASH(to));
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t size) {
  if (!IS_SIMULATED) return REAL(readlink)(path, to, size);
  struct place place;
  ssize_t code = disk_find(sim_self->host, path, false, &place);
  if (code == 0 && !place.node) code = -ENOENT;
  if (code == 0 && !S_ISLNK(place.node->mode)) code = -EINVAL;
  if (code == 0) {
    code = (ssize_t)(place.node->size < size ? place.node->size : size);
    memcpy(to, place.node->bytes, (size_t)code);
  }
  return traced(CALL_readlink, -1, code, HASH(path));
}

static int path_of(struct node *node, char *to, size_t size) {
  if (node->parent == node) {
    if (size < 2) return -ENAMETOOLONG;
    strcpy(to, "");
    return 0;
  }
  int code = path_of(node->parent, to, size);
  if (code < 0) return code;
  for (struct entry *entry = node->parent->entries; entry; entry = entry->next) {
    if (entry->node != node) continue;
    if (strlen(to) + strlen(entry->name) + 2 > size) return -ENAMETOOLONG;
    strcat(strcat(to, "/"), entry->name);
    return 0;
  }
  return -ENOENT;
}

char *realpath(const char *restrict path, char *restrict to) {
  if (!IS_SIMULATED) return REAL(realpath)(path, to);
  struct place place;
  char text[PATH_MAX] = "";
  int code = disk_find(sim_self->host, path, true, &place);
  if (code == 0 && !place.node) code = -ENOENT;
  if (code == 0) code = path_of(S_ISDIR(place.node->mode) ? place.node : place.directory, text, sizeof text);
  if (code == 0 && !S_ISDIR(place.node->mode)) strcat(strcat(text, "/"), place.name);
  if (code == 0 && !text[0]) strcpy(text, "/");
  if (traced(CALL_readlink, -1, code, HASH(path)) < 0) return NULL;
  if (!to) return strdup(text);
  return strcpy(to, text);
}

char *__realpath_chk(const char *path, char *to, size_t size);
char *__realpath_chk(const char *path, char *to, size_t size) {
  return IS_SIMULATED ? realpath(path, to) : REAL(__realpath_chk)(path, to, size);
}

char *getcwd(char *to, size_t size) {
  if (!IS_SIMULATED) return REAL(getcwd)(to, size);
  if (size < 2) {
    errno = ERANGE;
    return NULL;
  }
  return strcpy(to ? to : malloc(size), "/");
}

// MARK: Names that are made up

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static int fill_name(char *path) {
  size_t length = strlen(path);
  if (length < 6 || strcmp(path + length - 6, "XXXXXX") != 0) return -EINVAL;
  for (size_t i = length - 6; i < length; i++)
    path[i] = letters[draw_below(&kernel.draws[DRAW_RANDOM], sizeof letters - 1)];
  return 0;
}

char *mkdtemp(char *path) {
  if (!IS_SIMULATED) return REAL(mkdtemp)(path);
  int code = fill_name(path);
  if (code == 0) code = make_node(path, S_IFDIR | 0700, NULL);
  return traced(CALL_mkdir, -1, code, HASH(path)) < 0 ? NULL : path;
}

static int make_temporary(char *path, int flags) {
  int code = fill_name(path);
  if (code == 0) code = disk_open(sim_self->host, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
  return (int)traced(CALL_open, -1, code, HASH(path));
}

int mkstemp64(char *path) { return IS_SIMULATED ? make_temporary(path, 0) : REAL(mkstemp64)(path); }
int mkostemp(char *path, int flags) {
  return IS_SIMULATED ? make_temporary(path, flags) : REAL(mkostemp)(path, flags);
}

// MARK: Attributes

static struct node *node_at(const char *path, bool follows, int *code) {
  struct place place;
  *code = disk_find(sim_self->host, path, follows, &place);
  if (*code == 0 && !place.node) *code = -ENOENT;
  return *code < 0 ? NULL : place.node;
}

static struct node *node_of(int descriptor, int *code) {
  struct file *file = file_of(descriptor);
  *code = !file ? -EBADF : file->kind != &disk_kind ? -EINVAL : 0;
  return *code < 0 ? NULL : ((struct open_file *)file)->node;
}

static void set_mode(struct node *node, mode_t mode) {
  node->mode = (node->mode & S_IFMT) | (mode & 07777);
  node->changed = disk_now();
}

static void set_owner(struct node *node, uid_t owner, gid_t group) {
  if (owner != (uid_t)-1) node->owner = owner;
  if (group != (gid_t)-1) node->group = group;
  node->changed = disk_now();
}

static void set_times(struct node *node, const struct timespec times[2]) {
  uint64_t *places[2] = {&node->accessed, &node->modified};
  for (int i = 0; i < 2; i++) {
    if (!times || times[i].tv_nsec == UTIME_NOW) *places[i] = disk_now();
    else if (times[i].tv_nsec != UTIME_OMIT)
      *places[i] = (uint64_t)times[i].tv_sec * 1000000000 + (uint64_t)times[i].tv_nsec;
  }
  node->changed = disk_now();
}

#define CHANGE(name, call, parameters, arguments, find, what)                                                \
  int name parameters {                                                                                      \
    if (!IS_SIMULATED) return REAL(name) arguments;                                                          \
    int code;                                                                                                \
    struct node *node = find;                                                                                \
    if (node) what;                                                                                          \
    return (int)traced(call, -1, code, 0);                                                                   \
  }
CHANGE(chmod, CALL_chmod, (const char *path, mode_t mode), (path, mode), node_at(path, true, &code),
       set_mode(node, mode))
CHANGE(fchmod, CALL_chmod, (int descriptor, mode_t mode), (descriptor, mode), node_of(descriptor, &code),
       set_mode(node, mode))
CHANGE(chown, CALL_chmod, (const char *path, uid_t owner, gid_t group), (path, owner, group),
       node_at(path, true, &code), set_owner(node, owner, group))
CHANGE(lchown, CALL_chmod, (const char *path, uid_t owner, gid_t group), (path, owner, group),
       node_at(path, false, &code), set_owner(node, owner, group))
CHANGE(fchown, CALL_chmod, (int descriptor, uid_t owner, gid_t group), (descriptor, owner, group),
       node_of(descriptor, &code), set_owner(node, owner, group))
CHANGE(futimens, CALL_utime, (int descriptor, const struct timespec times[2]), (descriptor, times),
       node_of(descriptor, &code), set_times(node, times))

int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
  if (!IS_SIMULATED) return REAL(utimensat)(directory, path, times, flags);
  int code;
  struct node *node = node_at(path, !(flags & AT_SYMLINK_NOFOLLOW), &code);
  if (node) set_times(node, times);
  return (int)traced(CALL_utime, -1, code, HASH(path));
}

int statfs64(const char *path, struct statfs64 *status) {
  if (!IS_SIMULATED) return REAL(statfs64)(path, status);
  int code;
  if (node_at(path, true, &code)) {
    memset(status, 0, sizeof *status);
    status->f_type = 0xEF53;
    status->f_bsize = 4096;
    status->f_blocks = 1 << 24;
    status->f_bfree = status->f_bavail = 1 << 23;
    status->f_files = 1 << 20;
    status->f_ffree = 1 << 19;
  }
  return (int)traced(CALL_stat, -1, code, HASH(path));
}
