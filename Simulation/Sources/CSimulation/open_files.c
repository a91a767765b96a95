// Files that are open, and devices.

#include "disk.h"

#include <string.h>

static ssize_t disk_move(struct node *node, const struct iovec *parts, int count, size_t offset, bool writes) {
  if (S_ISDIR(node->mode)) return -EISDIR;
  size_t size = parts_size(parts, count);
  struct sim_host *host = node->host;
  int code = disk_fault(host, writes);
  if (code < 0) return code;
  if (host->move_limit && size > host->move_limit) size = host->move_limit;
  if (writes) {
    size = cut_short(size);
    if (offset + size > node->size) {
      // What there is room for is written.
      size_t room = host->disk_limit > host->disk_used ? host->disk_limit - host->disk_used : 0;
      if (host->disk_limit && offset <= node->size && offset + size > node->size + room) size = node->size + room - offset;
      if (host->disk_limit && size == 0 && parts_size(parts, count) > 0) return -ENOSPC;
      code = node_resize(node, offset + size);
      if (code < 0) return code;
    }
    disk_wrote(node, offset, offset + size);
    node->modified = node->changed = disk_now();
  } else {
    if (offset >= node->size) return 0;
    if (size > node->size - offset) size = node->size - offset;
    size = cut_short(size);
  }
  char *place = node->bytes + offset;
  size_t left = size;
  for (int i = 0; i < count && left > 0; i++) {
    size_t length = parts[i].iov_len < left ? parts[i].iov_len : left;
    if (writes) memcpy(place, parts[i].iov_base, length);
    else memcpy(parts[i].iov_base, place, length);
    place += length;
    left -= length;
  }
  if (size > 0) notice_node(node, writes ? IN_MODIFY : IN_ACCESS);
  return (ssize_t)size;
}

ssize_t disk_move_at(
    struct open_file *open, const struct iovec *parts, int count, size_t offset, bool writes);
ssize_t disk_move_at(
    struct open_file *open, const struct iovec *parts, int count, size_t offset, bool writes) {
  ssize_t moved = disk_move(open->node, parts, count, offset, writes);
  if (writes && moved > 0 && (open->file.flags & O_DSYNC)) node_sync(open->node);
  return moved;
}

static ssize_t disk_read(struct file *file, const struct iovec *parts, int count) {
  struct open_file *open = (struct open_file *)file;
  ssize_t moved = disk_move(open->node, parts, count, open->offset, false);
  if (moved > 0) open->offset += (size_t)moved;
  return moved;
}

static ssize_t disk_write(struct file *file, const struct iovec *parts, int count) {
  struct open_file *open = (struct open_file *)file;
  if (file->flags & O_APPEND) open->offset = open->node->size;
  ssize_t moved = disk_move_at(open, parts, count, open->offset, true);
  if (moved > 0) open->offset += (size_t)moved;
  return moved;
}

static int disk_readable(struct file *file) {
  struct open_file *open = (struct open_file *)file;
  return open->offset < open->node->size ? (int)(open->node->size - open->offset) : 0;
}

static void disk_close(struct file *file) {
  struct node *node = ((struct open_file *)file)->node;
  if (!node->host->is_down) notice_node(node, (file->flags & O_ACCMODE) == O_RDONLY ? IN_CLOSE_NOWRITE : IN_CLOSE_WRITE);
  node_release(node);
}

const struct kind disk_kind = {
    .name = "file", .type = S_IFREG, .read = disk_read, .write = disk_write, .readable = disk_readable,
    .close = disk_close};

// MARK: Devices

static ssize_t null_read(struct file *file, const struct iovec *parts, int count) { return 0; }

static ssize_t null_write(struct file *file, const struct iovec *parts, int count) {
  return (ssize_t)parts_size(parts, count);
}

static ssize_t random_read(struct file *file, const struct iovec *parts, int count) {
  for (int i = 0; i < count; i++) random_fill(parts[i].iov_base, parts[i].iov_len);
  return (ssize_t)parts_size(parts, count);
}

static const struct kind null_kind = {.name = "null", .type = S_IFCHR, .read = null_read, .write = null_write};
static const struct kind random_kind = {
    .name = "random", .type = S_IFCHR, .read = random_read, .write = null_write};

int disk_open(struct sim_host *host, int directory, const char *path, int flags, uint32_t mode) {
  struct place place;
  int code = disk_find_at(host, directory, path, !(flags & (O_NOFOLLOW | O_EXCL)), &place);
  if (code < 0) return code;
  int access = flags & O_ACCMODE;
  struct node *node = place.node;
  if (!node) {
    if (!(flags & O_CREAT)) return -ENOENT;
    if ((code = disk_fault(host, true)) < 0) return code;
    node = node_make(host, S_IFREG | (mode & 07777 & ~022u));
    place_fill(&place, node);
  } else {
    if ((flags & O_CREAT) && (flags & O_EXCL)) return -EEXIST;
    if (S_ISLNK(node->mode)) return -ELOOP;
    if (S_ISDIR(node->mode) && (access != O_RDONLY || (flags & O_CREAT))) return -EISDIR;
    if ((flags & O_DIRECTORY) && !S_ISDIR(node->mode)) return -ENOTDIR;
    if (S_ISSOCK(node->mode)) return -ENXIO;
    uint32_t needed = access == O_RDONLY ? 0400 : access == O_WRONLY ? 0200 : 0600;
    if ((node->mode & needed) != needed) return -EACCES;
    if (S_ISCHR(node->mode)) {
      const struct kind *kind = strcmp(place.name, "null") == 0 ? &null_kind : &random_kind;
      return descriptor_make(file_make(kind, sizeof(struct file), flags & (O_ACCMODE | O_NONBLOCK)), flags & O_CLOEXEC);
    }
    if (S_ISREG(node->mode) && (code = disk_fault(host, false)) < 0) return code;
    if ((flags & O_TRUNC) && access != O_RDONLY && node_resize(node, 0) == 0) {
      disk_resized(node);
      notice_node(node, IN_MODIFY);
    }
  }
  struct open_file *open = file_make(&disk_kind, sizeof *open, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DSYNC));
  open->node = node;
  node_hold(node);
  notice_node(node, IN_OPEN);
  return descriptor_make(&open->file, flags & O_CLOEXEC);
}
