// Permissions, owners and times of files.

#include "disk.h"
#include "real.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HASH(path) hash_bytes(path, strlen(path))

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
  notice_node(node, IN_ATTRIB);
}

static void set_owner(struct node *node, uid_t owner, gid_t group) {
  if (owner != (uid_t)-1) node->owner = owner;
  if (group != (gid_t)-1) node->group = group;
  node->changed = disk_now();
  notice_node(node, IN_ATTRIB);
}

static void set_times(struct node *node, const struct timespec times[2]) {
  uint64_t *places[2] = {&node->accessed, &node->modified};
  for (int i = 0; i < 2; i++) {
    if (!times || times[i].tv_nsec == UTIME_NOW) *places[i] = disk_now();
    else if (times[i].tv_nsec != UTIME_OMIT)
      *places[i] = (uint64_t)times[i].tv_sec * 1000000000 + (uint64_t)times[i].tv_nsec;
  }
  node->changed = disk_now();
  notice_node(node, IN_ATTRIB);
}

#define CHANGE(name, about, call, parameters, arguments, find, what)                                              \
  int name parameters {                                                                                      \
    if (LEAVES(about)) return REAL(name) arguments;                                                          \
    int code;                                                                                                \
    struct node *node = find;                                                                                \
    if (node) what;                                                                                          \
    return (int)traced(call, -1, code, 0);                                                                   \
  }
CHANGE(chmod, 0, CALL_chmod, (const char *path, mode_t mode), (path, mode), node_at(path, true, &code),
       set_mode(node, mode))
CHANGE(fchmod, descriptor, CALL_chmod, (int descriptor, mode_t mode), (descriptor, mode), node_of(descriptor, &code),
       set_mode(node, mode))
CHANGE(chown, 0, CALL_chmod, (const char *path, uid_t owner, gid_t group), (path, owner, group),
       node_at(path, true, &code), set_owner(node, owner, group))
CHANGE(lchown, 0, CALL_chmod, (const char *path, uid_t owner, gid_t group), (path, owner, group),
       node_at(path, false, &code), set_owner(node, owner, group))
CHANGE(fchown, descriptor, CALL_chmod, (int descriptor, uid_t owner, gid_t group), (descriptor, owner, group),
       node_of(descriptor, &code), set_owner(node, owner, group))
CHANGE(futimens, descriptor, CALL_utime, (int descriptor, const struct timespec times[2]), (descriptor, times),
       node_of(descriptor, &code), set_times(node, times))

int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
  if (LEAVES(0)) return REAL(utimensat)(directory, path, times, flags);
  int code;
  struct node *node = node_at(path, !(flags & AT_SYMLINK_NOFOLLOW), &code);
  if (node) set_times(node, times);
  return (int)traced(CALL_utime, -1, code, HASH(path));
}

int statfs64(const char *path, struct statfs64 *status) {
  if (LEAVES(0)) return REAL(statfs64)(path, status);
  int code;
  if (node_at(path, true, &code)) {
    memset(status, 0, sizeof *status);
    status->f_type = 0xEF53;
    status->f_bsize = 4096;
    status->f_blocks = 1 << 24;
    status->f_bfree = status->f_bavail = 1 << 23;
    const struct sim_host *host = sim_self->host;
    if (host->disk_limit) {
      status->f_blocks = host->disk_limit / 4096;
      status->f_bfree = status->f_bavail =
          host->disk_limit > host->disk_used ? (host->disk_limit - host->disk_used) / 4096 : 0;
    }
    status->f_files = 1 << 20;
    status->f_ffree = 1 << 19;
  }
  return (int)traced(CALL_stat, -1, code, HASH(path));
}
