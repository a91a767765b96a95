// Nodes: files, directories and links of a host.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

uint64_t disk_now(void) { return sim_self ? host_clock(sim_self->host, sim_self->host->date) : kernel.now; }

struct node *node_make(struct sim_host *host, uint32_t mode) {
  struct node *node = calloc(1, sizeof *node);
  node->host = host;
  node->mode = mode;
  node->owner = node->group = 1000;
  // Numbers are the seed's, and grow as they do on a disk.
  host->last_node += 1 + draw_below(&kernel.draws[DRAW_CLOCK], 8);
  node->number = host->last_node;
  node->accessed = node->changed = node->modified = node->born = disk_now();
  return node;
}

void node_hold(struct node *node) { node->references++; }

void node_free(struct node *node) {
  if (node->references > 0 || node->links > 0) return;
  if (!node->has_gone) node->host->disk_used -= node->size;
  if (!node->has_gone && node->host->notices) notice_end(node);
  node->has_gone = true;
  if (node->changes > 0) return;
  while (node->entries) {
    struct entry *entry = node->entries;
    node->entries = entry->next;
    free(entry);
  }
  free(node->bytes);
  free(node->stable);
  free(node->ranges);
  free(node);
}

void node_release(struct node *node) {
  node->references--;
  node_free(node);
}

void node_link(struct node *directory, const char *name, struct node *node) {
  struct entry *entry = calloc(1, sizeof *entry + strlen(name) + 1), **last = &directory->entries;
  strcpy(entry->name, name);
  entry->node = node;
  entry->number = ++node->host->last_entry;
  while (*last) last = &(*last)->next;
  *last = entry;
  node->links++;
  if (node->has_gone) node->host->disk_used += node->size;
  node->has_gone = false;
  if (S_ISDIR(node->mode)) node->parent = directory;
  directory->modified = directory->changed = disk_now();
}

void place_fill(const struct place *place, struct node *node) {
  change_note(node->host, place->directory, place->name, NULL, node, NULL, NULL);
  node_link(place->directory, place->name, node);
  notice_names(place->directory, place->name, node, IN_CREATE, 0);
}

struct entry *node_entry(struct node *directory, const char *name) {
  for (struct entry *entry = directory->entries; entry; entry = entry->next) {
    if (strcmp(entry->name, name) == 0) return entry;
  }
  return NULL;
}

void node_unlink(struct node *directory, struct entry *entry) {
  struct entry **place = &directory->entries;
  while (*place != entry) place = &(*place)->next;
  *place = entry->next;
  struct node *node = entry->node;
  free(entry);
  node->links--;
  node->changed = directory->modified = directory->changed = disk_now();
  node_free(node);
}

int node_resize(struct node *node, size_t size) {
  if (size > (1u << 30)) return -EFBIG;
  struct sim_host *host = node->host;
  if (size > node->size && host->disk_limit && host->disk_used + (size - node->size) > host->disk_limit) return -ENOSPC;
  host->disk_used += size - node->size;
  if (size > node->capacity) {
    size_t capacity = node->capacity ? node->capacity : 4096;
    while (capacity < size) capacity *= 2;
    node->bytes = realloc(node->bytes, capacity);
    node->capacity = capacity;
  }
  if (size > node->size) memset(node->bytes + node->size, 0, size - node->size);
  node->size = size;
  return 0;
}

void node_free_all(struct node *node) {
  if (!node) return;
  if (S_ISDIR(node->mode)) {
    while (node->entries) {
      struct entry *entry = node->entries;
      node->entries = entry->next;
      if (S_ISDIR(entry->node->mode)) {
        node_free_all(entry->node);
      } else {
        entry->node->links--;
        node_free(entry->node);
      }
      free(entry);
    }
  }
  node->links = 0;
  node->references = 0;
  node_free(node);
}

struct node *disk_root(struct sim_host *host) {
  if (!host->root) {
    host->root = node_make(host, S_IFDIR | 0755);
    host->root->links = 1;
    host->root->parent = host->root;
    node_link(host->root, "tmp", node_make(host, S_IFDIR | 0777));
    struct node *devices = node_make(host, S_IFDIR | 0755);
    node_link(host->root, "dev", devices);
    struct node *settings = node_make(host, S_IFDIR | 0755), *users = node_make(host, S_IFREG | 0644);
    node_link(host->root, "etc", settings);
    node_link(settings, "passwd", users);
    static const char root_user[] = "root:x:0:0:root:/root:/bin/sh\n";
    // A disk that is full from the beginning has this file all the same.
    uint64_t limit = host->disk_limit;
    host->disk_limit = 0;
    node_resize(users, sizeof root_user - 1);
    host->disk_limit = limit;
    memcpy(users->bytes, root_user, sizeof root_user - 1);
    disk_wrote(users, 0, users->size);
    node_sync(users);
    node_link(devices, "null", node_make(host, S_IFCHR | 0666));
    node_link(devices, "random", node_make(host, S_IFCHR | 0666));
    node_link(devices, "urandom", node_make(host, S_IFCHR | 0666));
  }
  return host->root;
}

// MARK: Paths

static int find_from(
    struct node *root, struct node *start, const char *path, bool follows, int depth, struct place *place) {
  if (depth > 40) return -ELOOP;
  if (!*path) return -ENOENT;
  struct node *directory = *path == '/' ? root : start;
  *place = (struct place){.directory = directory, .node = directory, .name = "."};
  for (;;) {
    while (*path == '/') path++;
    if (!*path) return 0;
    const char *end = strchrnul(path, '/');
    size_t length = (size_t)(end - path);
    if (length > 255) return -ENAMETOOLONG;
    if (!place->node) return -ENOENT;
    if (!S_ISDIR(place->node->mode)) return -ENOTDIR;
    directory = place->node;
    memcpy(place->name, path, length);
    place->name[length] = 0;
    place->directory = directory;
    bool is_last = !*end || !end[strspn(end, "/")];
    if (strcmp(place->name, ".") == 0) {
      place->node = directory;
    } else if (strcmp(place->name, "..") == 0) {
      place->node = directory->parent;
    } else {
      struct entry *entry = node_entry(directory, place->name);
      place->node = entry ? entry->node : NULL;
    }
    if (place->node && S_ISLNK(place->node->mode) && (!is_last || follows || *end)) {
      char target[4096];
      memcpy(target, place->node->bytes, place->node->size);
      target[place->node->size] = 0;
      int code = find_from(root, directory, target, true, depth + 1, place);
      if (code < 0) return code;
    }
    if (is_last && *end && place->node && !S_ISDIR(place->node->mode)) return -ENOTDIR;
    path = end;
  }
}

/// Where relative paths begin.
static struct node *own_directory(struct sim_host *host) {
  struct node *directory = sim_self ? sim_self->process->directory : NULL;
  return directory && directory->host == host ? directory : disk_root(host);
}

int disk_find(struct sim_host *host, const char *path, bool follows, struct place *place) {
  return find_from(disk_root(host), own_directory(host), path, follows, 0, place);
}

int disk_find_at(struct sim_host *host, int directory, const char *path, bool follows, struct place *place) {
  struct node *root = disk_root(host), *start = own_directory(host);
  if (directory != AT_FDCWD && *path != '/') {
    struct file *file = file_of(directory);
    if (!file) return -EBADF;
    if (file->kind != &disk_kind) return -ENOTDIR;
    start = ((struct open_file *)file)->node;
    if (!S_ISDIR(start->mode)) return -ENOTDIR;
  }
  return find_from(root, start, path, follows, 0, place);
}

void disk_status(const struct node *node, struct stat *status) {
  memset(status, 0, sizeof *status);
  status->st_dev = 2049;
  status->st_ino = node->number;
  status->st_mode = node->mode;
  status->st_nlink = node->links + (S_ISDIR(node->mode) ? 1 : 0);
  status->st_uid = node->owner;
  status->st_gid = node->group;
  status->st_size = S_ISDIR(node->mode) ? 4096 : (off_t)node->size;
  status->st_blksize = 4096;
  status->st_blocks = (status->st_size + 511) / 512;
  const uint64_t times[3] = {node->accessed, node->modified, node->changed};
  struct timespec *places[3] = {&status->st_atim, &status->st_mtim, &status->st_ctim};
  for (int i = 0; i < 3; i++) {
    places[i]->tv_sec = (time_t)(times[i] / 1000000000);
    places[i]->tv_nsec = (long)(times[i] % 1000000000);
  }
}
