// Calls on open files, and the entries of directories.

#include "disk.h"
#include "real.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t disk_move_at(
    struct open_file *open, const struct iovec *parts, int count, size_t offset, bool writes);

struct open_file *disk_file_of(int descriptor, int *code) {
  struct file *file = file_of(descriptor);
  *code = !file ? -EBADF : file->kind != &disk_kind ? -ESPIPE : 0;
  return *code < 0 ? NULL : (struct open_file *)file;
}

static ssize_t move_at(int descriptor, const struct iovec *parts, int count, off64_t offset, bool writes) {
  int code;
  struct open_file *open = disk_file_of(descriptor, &code);
  int access = open ? open->file.flags & O_ACCMODE : 0;
  ssize_t moved = code;
  struct file *file = file_of(descriptor);
  // A device has no places.
  if (file && file->kind->type == S_IFCHR) moved = writes ? file->kind->write(file, parts, count) : file->kind->read(file, parts, count);
  else if (open && offset < 0) moved = -EINVAL;
  else if (open && access == (writes ? O_RDONLY : O_WRONLY)) moved = -EBADF;
  else if (open) moved = UNLESS_PLANNED(writes ? CALL_write : CALL_read, disk_move_at(open, parts, count, (size_t)offset, writes));
  return traced(writes ? CALL_write : CALL_read, descriptor, moved, (uint64_t)offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off64_t offset) {
  if (LEAVES(descriptor)) return LEFT("pread64", descriptor, REAL(pread64)(descriptor, bytes, size, offset));
  return move_at(descriptor, &(struct iovec){bytes, size}, 1, offset, false);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  if (LEAVES(descriptor)) return LEFT("pwrite64", descriptor, REAL(pwrite64)(descriptor, bytes, size, offset));
  return move_at(descriptor, &(struct iovec){(void *)bytes, size}, 1, offset, true);
}
ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
  if (LEAVES(descriptor)) return REAL(pread)(descriptor, bytes, size, offset);
  return move_at(descriptor, &(struct iovec){bytes, size}, 1, offset, false);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  if (LEAVES(descriptor)) return REAL(pwrite)(descriptor, bytes, size, offset);
  return move_at(descriptor, &(struct iovec){(void *)bytes, size}, 1, offset, true);
}
ssize_t preadv64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  if (LEAVES(descriptor)) return REAL(preadv64)(descriptor, parts, count, offset);
  return move_at(descriptor, parts, count, offset, false);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  if (LEAVES(descriptor)) return REAL(pwritev64)(descriptor, parts, count, offset);
  return move_at(descriptor, parts, count, offset, true);
}
ssize_t preadv(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (LEAVES(descriptor)) return REAL(preadv)(descriptor, parts, count, offset);
  return move_at(descriptor, parts, count, offset, false);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (LEAVES(descriptor)) return REAL(pwritev)(descriptor, parts, count, offset);
  return move_at(descriptor, parts, count, offset, true);
}

static off64_t seek(int descriptor, off64_t offset, int whence) {
  int code;
  struct open_file *open = disk_file_of(descriptor, &code);
  if (!open) return code;
  off64_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off64_t)open->offset : (off64_t)open->node->size;
  if (start + offset < 0) return -EINVAL;
  open->offset = (size_t)(start + offset);
  return start + offset;
}

off64_t lseek64(int descriptor, off64_t offset, int whence) {
  if (LEAVES(descriptor)) return REAL(lseek64)(descriptor, offset, whence);
  return traced(CALL_lseek, descriptor, seek(descriptor, offset, whence), (uint64_t)whence);
}
off_t lseek(int descriptor, off_t offset, int whence) {
  if (LEAVES(descriptor)) return REAL(lseek)(descriptor, offset, whence);
  return traced(CALL_lseek, descriptor, seek(descriptor, offset, whence), (uint64_t)whence);
}

static int truncate_file(int descriptor, off64_t size) {
  int code;
  struct open_file *open = disk_file_of(descriptor, &code);
  if (!open || size < 0 || (open->file.flags & O_ACCMODE) == O_RDONLY) return code < 0 ? code : -EINVAL;
  if ((code = disk_fault(sim_self->host, false)) < 0) return code;
  open->node->modified = open->node->changed = disk_now();
  code = node_resize(open->node, (size_t)size);
  if (code == 0) {
    disk_resized(open->node);
    notice_node(open->node, IN_MODIFY);
  }
  return code;
}

int ftruncate64(int descriptor, off64_t size) {
  if (LEAVES(descriptor)) return REAL(ftruncate64)(descriptor, size);
  return (int)traced(CALL_truncate, descriptor, UNLESS_PLANNED(CALL_truncate, truncate_file(descriptor, size)), (uint64_t)size);
}
int ftruncate(int descriptor, off_t size) {
  if (LEAVES(descriptor)) return REAL(ftruncate)(descriptor, size);
  return (int)traced(CALL_truncate, descriptor, UNLESS_PLANNED(CALL_truncate, truncate_file(descriptor, size)), (uint64_t)size);
}

static int sync_file(int descriptor) {
  int code;
  struct open_file *open = disk_file_of(descriptor, &code);
  if (open && (code = planned(CALL_sync)) == 0 && (code = disk_fault(sim_self->host, false)) == 0) {
    if (S_ISDIR(open->node->mode)) directory_sync(sim_self->host, open->node);
    else node_sync(open->node);
  } else if (open && code != -EINTR) {
    node_damage(open->node);
  }
  return (int)traced(CALL_sync, descriptor, code == -ESPIPE ? -EINVAL : code, 0);
}

static int sync_all(int descriptor) {
  disk_sync_all(sim_self->host);
  return (int)traced(CALL_sync, descriptor, descriptor >= 0 && !file_of(descriptor) ? -EBADF : 0, 1);
}
int fsync(int descriptor) { return !LEAVES(descriptor) ? sync_file(descriptor) : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return !LEAVES(descriptor) ? sync_file(descriptor) : REAL(fdatasync)(descriptor); }

int syncfs(int descriptor) { return !LEAVES(descriptor) ? sync_all(descriptor) : REAL(syncfs)(descriptor); }
void sync(void) {
  if (LEAVES(0)) REAL(sync)();
  else sync_all(-1);
}

// MARK: Directories

struct directory {
  /// What is closed with it; -1 if nothing.
  int descriptor;
  struct dirent64 **entries;
  int count, next;
};

static unsigned char type_of(const struct node *node) { return (unsigned char)((node->mode & S_IFMT) >> 12); }

static struct dirent64 *make_entry(const char *name, const struct node *node) {
  struct dirent64 *entry = calloc(1, sizeof *entry);
  entry->d_ino = node->number;
  entry->d_reclen = sizeof *entry;
  entry->d_type = type_of(node);
  strcpy(entry->d_name, name);
  return entry;
}

/// The entries, in an order that is drawn.
static int list(int folder, const char *path, struct dirent64 ***entries) {
  struct place place;
  int code = disk_find_at(sim_self->host, folder, path, true, &place), count = 2;
  if (code < 0) return code;
  if (!place.node) return -ENOENT;
  if (!S_ISDIR(place.node->mode)) return -ENOTDIR;
  for (struct entry *entry = place.node->entries; entry; entry = entry->next) count++;
  *entries = malloc((size_t)count * sizeof **entries);
  (*entries)[0] = make_entry(".", place.node);
  (*entries)[1] = make_entry("..", place.node->parent);
  int next = 2;
  for (struct entry *entry = place.node->entries; entry; entry = entry->next)
    (*entries)[next++] = make_entry(entry->name, entry->node);
  for (int i = count - 1; i > 0; i--) {
    int other = (int)draw_below(&kernel.draws[DRAW_READY], (uint64_t)i + 1);
    struct dirent64 *entry = (*entries)[i];
    (*entries)[i] = (*entries)[other];
    (*entries)[other] = entry;
  }
  return count;
}

static DIR *open_list(int folder, const char *path, int descriptor) {
  struct directory *directory = calloc(1, sizeof *directory);
  directory->descriptor = descriptor;
  directory->count = list(folder, path, &directory->entries);
  if (traced(CALL_opendir, -1, directory->count, hash_bytes(path, strlen(path))) < 0) {
    free(directory);
    return NULL;
  }
  return (DIR *)directory;
}

DIR *opendir(const char *path) { return LEAVES(0) ? REAL(opendir)(path) : open_list(AT_FDCWD, path, -1); }

DIR *fdopendir(int descriptor) {
  return LEAVES(descriptor) ? REAL(fdopendir)(descriptor) : open_list(descriptor, ".", descriptor);
}

struct dirent64 *readdir64(DIR *stream) {
  if (LEAVES(0)) return REAL(readdir64)(stream);
  struct directory *directory = (struct directory *)stream;
  return directory->next < directory->count ? directory->entries[directory->next++] : NULL;
}
struct dirent *readdir(DIR *stream) {
  return !LEAVES(0) ? (struct dirent *)readdir64(stream) : REAL(readdir)(stream);
}

int closedir(DIR *stream) {
  if (LEAVES(0)) return REAL(closedir)(stream);
  struct directory *directory = (struct directory *)stream;
  for (int i = 0; i < directory->count; i++) free(directory->entries[i]);
  free(directory->entries);
  if (directory->descriptor >= 0) close(directory->descriptor);
  free(directory);
  return 0;
}

int scandir64(
    const char *restrict path, struct dirent64 ***restrict result, int (*filter)(const struct dirent64 *),
    int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  if (LEAVES(0)) return REAL(scandir64)(path, result, filter, order);
  struct dirent64 **entries;
  int count = list(AT_FDCWD, path, &entries), kept = 0;
  for (int i = 0; i < count; i++) {
    if (!filter || filter(entries[i])) entries[kept++] = entries[i];
    else free(entries[i]);
  }
  if (count >= 0) {
    if (order) qsort(entries, (size_t)kept, sizeof *entries, (int (*)(const void *, const void *))order);
    *result = entries;
    count = kept;
  }
  return (int)traced(CALL_opendir, -1, count, hash_bytes(path, strlen(path)));
}
