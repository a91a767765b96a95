// Whole paths, and the folder that a process is in.

#include "disk.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH(path) hash_bytes(path, strlen(path))

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
  if (LEAVES(0)) return REAL(realpath)(path, to);
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
  return !LEAVES(0) ? realpath(path, to) : REAL(__realpath_chk)(path, to, size);
}

char *getcwd(char *to, size_t size) {
  if (LEAVES(0)) return REAL(getcwd)(to, size);
  if (size < 2) {
    errno = ERANGE;
    return NULL;
  }
  char text[PATH_MAX] = "";
  struct node *directory = sim_self->process->directory;
  int code = directory ? path_of(directory, text, sizeof text) : 0;
  if (code == 0 && !text[0]) strcpy(text, "/");
  if (code == 0 && strlen(text) >= size) code = -ERANGE;
  if (code < 0) {
    errno = -code;
    return NULL;
  }
  return strcpy(to ? to : malloc(size), text);
}

static int change_directory(const char *path) {
  struct place place;
  int code = disk_find(sim_self->host, path, true, &place);
  if (code < 0) return code;
  if (!place.node) return -ENOENT;
  if (!S_ISDIR(place.node->mode)) return -ENOTDIR;
  struct process *process = sim_self->process;
  node_hold(place.node);
  if (process->directory) node_release(process->directory);
  process->directory = place.node;
  return 0;
}

int chdir(const char *path) {
  if (LEAVES(0)) return REAL(chdir)(path);
  return (int)traced(CALL_chdir, -1, change_directory(path), HASH(path));
}
