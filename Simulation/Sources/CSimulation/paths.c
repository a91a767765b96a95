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
    if (LEAVES(0)) return REAL(name)(path, flags, mode);                                                 \
    return (int)traced(CALL_open, -1, UNLESS_PLANNED(CALL_open, disk_open(sim_self->host, AT_FDCWD, path, flags, mode)), HASH(path));             \
  }
OPEN(open)
OPEN(open64)

/// The same, as the compiler calls it in checked code.
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) { return !LEAVES(0) ? open(path, flags) : REAL(__open_2)(path, flags); }
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) {
  return !LEAVES(0) ? open64(path, flags) : REAL(__open64_2)(path, flags);
}

int openat(int directory, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (LEAVES(0)) return REAL(openat)(directory, path, flags, mode);
  return (int)traced(CALL_open, -1, UNLESS_PLANNED(CALL_open, disk_open(sim_self->host, directory, path, flags, mode)), HASH(path));
}

// MARK: Names

int disk_make(int directory, const char *path, uint32_t mode, const char *target) {
  struct place place;
  int code = disk_find_at(sim_self->host, directory, path, false, &place);
  if (code < 0) return code;
  if (place.node) return -EEXIST;
  if ((code = disk_fault(sim_self->host, true)) < 0) return code;
  struct node *node = node_make(sim_self->host, mode);
  if (target) {
    node_resize(node, strlen(target));
    memcpy(node->bytes, target, strlen(target));
    node_sync(node);
  }
  place_fill(&place, node);
  return 0;
}

static int make_folder(int directory, const char *path, mode_t mode) {
  return (int)traced(CALL_mkdir, -1, UNLESS_PLANNED(CALL_mkdir, disk_make(directory, path, S_IFDIR | (mode & 07777 & ~022u), NULL)), HASH(path));
}

int mkdir(const char *path, mode_t mode) {
  return LEAVES(0) ? REAL(mkdir)(path, mode) : make_folder(AT_FDCWD, path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  return LEAVES(0) ? REAL(mkdirat)(directory, path, mode) : make_folder(directory, path, mode);
}

static int make_link(const char *target, int directory, const char *path) {
  int code = !*target ? -ENOENT : strlen(target) > 4095 ? -ENAMETOOLONG : disk_make(directory, path, S_IFLNK | 0777, target);
  return (int)traced(CALL_symlink, -1, code, HASH(path));
}

int symlink(const char *target, const char *path) {
  return LEAVES(0) ? REAL(symlink)(target, path) : make_link(target, AT_FDCWD, path);
}

int symlinkat(const char *target, int directory, const char *path) {
  return LEAVES(0) ? REAL(symlinkat)(target, directory, path) : make_link(target, directory, path);
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
  if ((code = disk_fault(sim_self->host, false)) < 0) return code;
  change_note(sim_self->host, place.directory, place.name, place.node, NULL, NULL, NULL);
  node_hold(place.node);
  node_unlink(place.directory, entry);
  notice_names(place.directory, place.name, place.node, IN_DELETE, 0);
  if (!is_directory) notice_node(place.node, IN_ATTRIB);
  node_release(place.node);
  return 0;
}

int unlink(const char *path) {
  if (LEAVES(0)) return REAL(unlink)(path);
  return (int)traced(CALL_unlink, -1, UNLESS_PLANNED(CALL_unlink, remove_name(AT_FDCWD, path, false)), HASH(path));
}

int rmdir(const char *path) {
  if (LEAVES(0)) return REAL(rmdir)(path);
  return (int)traced(CALL_rmdir, -1, UNLESS_PLANNED(CALL_rmdir, remove_name(AT_FDCWD, path, true)), HASH(path));
}

int unlinkat(int directory, const char *path, int flags) {
  if (LEAVES(0)) return REAL(unlinkat)(directory, path, flags);
  return (int)traced(CALL_unlink, -1, UNLESS_PLANNED(CALL_unlink, remove_name(directory, path, flags & AT_REMOVEDIR)), HASH(path));
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
  }
  for (struct node *above = target.directory; S_ISDIR(source.node->mode); above = above->parent) {
    if (above == source.node) return -EINVAL;
    if (above == above->parent) break;
  }
  if ((code = disk_fault(sim_self->host, false)) < 0) return code;
  change_note(
      sim_self->host, target.directory, target.name, target.node, source.node, source.directory, source.name);
  if (target.node) {
    node_hold(target.node);
    node_unlink(target.directory, node_entry(target.directory, target.name));
  }
  node_link(target.directory, target.name, source.node);
  node_unlink(source.directory, entry);
  uint32_t cookie = ++sim_self->host->last_rename;
  notice_names(source.directory, source.name, source.node, IN_MOVED_FROM, cookie);
  notice_names(target.directory, target.name, source.node, IN_MOVED_TO, cookie);
  notice_node(source.node, IN_MOVE_SELF);
  if (target.node) {
    notice_node(target.node, IN_ATTRIB);
    node_release(target.node);
  }
  return 0;
}

int rename(const char *from, const char *to) {
  if (LEAVES(0)) return REAL(rename)(from, to);
  return (int)traced(CALL_rename, -1, UNLESS_PLANNED(CALL_rename, rename_node(AT_FDCWD, from, AT_FDCWD, to)), HASH(to));
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  if (LEAVES(0)) return REAL(renameat)(from_directory, from, to_directory, to);
  return (int)traced(CALL_rename, -1, UNLESS_PLANNED(CALL_rename, rename_node(from_directory, from, to_directory, to)), HASH(to));
}

int link(const char *from, const char *to) {
  if (LEAVES(0)) return REAL(link)(from, to);
  struct place source, target;
  int code = disk_find(sim_self->host, from, false, &source);
  if (code == 0 && !source.node) code = -ENOENT;
  if (code == 0 && S_ISDIR(source.node->mode)) code = -EPERM;
  if (code == 0) code = disk_find(sim_self->host, to, false, &target);
  if (code == 0 && target.node) code = -EEXIST;
  if (code == 0) code = disk_fault(sim_self->host, true);
  if (code == 0) {
    // Linux reports the count of links first.
    notice_node(source.node, IN_ATTRIB);
    place_fill(&target, source.node);
  }
  return (int)traced(CALL_link, -1, code, HASH(to));
}

static ssize_t read_link(int directory, const char *path, char *to, size_t size) {
  struct place place;
  ssize_t code = disk_find_at(sim_self->host, directory, path, false, &place);
  if (code == 0 && !place.node) code = -ENOENT;
  if (code == 0 && !S_ISLNK(place.node->mode)) code = -EINVAL;
  if (code == 0) {
    code = (ssize_t)(place.node->size < size ? place.node->size : size);
    memcpy(to, place.node->bytes, (size_t)code);
  }
  return traced(CALL_readlink, -1, code, HASH(path));
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t size) {
  return LEAVES(0) ? REAL(readlink)(path, to, size) : read_link(AT_FDCWD, path, to, size);
}

ssize_t readlinkat(int directory, const char *restrict path, char *restrict to, size_t size) {
  return LEAVES(0) ? REAL(readlinkat)(directory, path, to, size) : read_link(directory, path, to, size);
}
