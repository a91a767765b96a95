// Files and directories whose names are made up: drawn from the seed.

#include "disk.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>

#define HASH(path) hash_bytes(path, strlen(path))

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static int fill_name(char *path) {
  size_t length = strlen(path);
  if (length < 6 || strcmp(path + length - 6, "XXXXXX") != 0) return -EINVAL;
  for (size_t i = length - 6; i < length; i++)
    path[i] = letters[draw_below(&kernel.draws[DRAW_RANDOM], sizeof letters - 1)];
  return 0;
}

char *mkdtemp(char *path) {
  if (LEAVES(0)) return REAL(mkdtemp)(path);
  int code = fill_name(path);
  if (code == 0) code = disk_make(AT_FDCWD, path, S_IFDIR | 0700, NULL);
  return traced(CALL_mkdir, -1, code, HASH(path)) < 0 ? NULL : path;
}

static int make_temporary(char *path, int flags) {
  int code = fill_name(path);
  if (code == 0) code = disk_open(sim_self->host, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
  return (int)traced(CALL_open, -1, code, HASH(path));
}

int mkstemp64(char *path) { return !LEAVES(0) ? make_temporary(path, 0) : REAL(mkstemp64)(path); }
int mkostemp(char *path, int flags) {
  return !LEAVES(0) ? make_temporary(path, flags) : REAL(mkostemp)(path, flags);
}
