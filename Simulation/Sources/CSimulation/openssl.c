// OpenSSL's random bytes, and the files that it reads by functions of stdio.

#include "disk.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Random bytes

/// OpenSSL's own type.
struct method {
  int (*seed)(const void *bytes, int count);
  int (*bytes)(unsigned char *bytes, int count);
  void (*cleanup)(void);
  int (*add)(const void *bytes, int count, double entropy);
  int (*pseudo)(unsigned char *bytes, int count);
  int (*status)(void);
};

static const struct method *own;

static int give(unsigned char *bytes, int count) {
  if (!IS_SIMULATED) return own->bytes(bytes, count);
  random_fill(bytes, (size_t)count);
  return 1;
}

static int give_pseudo(unsigned char *bytes, int count) {
  if (!IS_SIMULATED) return own->pseudo(bytes, count);
  random_fill(bytes, (size_t)count);
  return 1;
}

static int seed(const void *bytes, int count) { return own->seed ? own->seed(bytes, count) : 1; }
static int add(const void *bytes, int count, double entropy) { return own->add ? own->add(bytes, count, entropy) : 1; }
static int status(void) { return IS_SIMULATED || !own->status ? 1 : own->status(); }

void openssl_prepare(void) {
  const struct method *(*get)(void) = (const struct method *(*)(void))dlsym(RTLD_DEFAULT, "RAND_OpenSSL");
  int (*set)(const struct method *) = (int (*)(const struct method *))dlsym(RTLD_DEFAULT, "RAND_set_rand_method");
  if (own || !get || !set) return;
  // It reads its settings when it is first used, which a seed's first run would do and its second one not.
  enum { LOAD_STRINGS = 0x2, LOAD_CONFIG = 0x40 };
  int (*begin)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_ssl");
  if (begin) begin(LOAD_STRINGS | LOAD_CONFIG, NULL);
  own = get();
  static struct method method = {.seed = seed, .bytes = give, .add = add, .pseudo = give_pseudo, .status = status};
  set(&method);
}

// MARK: stdio

int streams_in_use;

static ssize_t cookie_read(void *cookie, char *bytes, size_t size) {
  streams_in_use++;
  ssize_t count = read((int)(intptr_t)cookie, bytes, size);
  streams_in_use--;
  return count;
}
static ssize_t cookie_write(void *cookie, const char *bytes, size_t size) {
  streams_in_use++;
  ssize_t written = write((int)(intptr_t)cookie, bytes, size);
  streams_in_use--;
  return written < 0 ? 0 : written;
}
static int cookie_seek(void *cookie, off64_t *offset, int whence) {
  off64_t place = lseek64((int)(intptr_t)cookie, *offset, whence);
  if (place < 0) return -1;
  *offset = place;
  return 0;
}
static int cookie_close(void *cookie) { return close((int)(intptr_t)cookie); }

static FILE *open_stream(int descriptor, const char *mode) {
  if (descriptor < 0) return NULL;
  cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek, cookie_close};
  return fopencookie((void *)(intptr_t)descriptor, mode, functions);
}

static FILE *open_named(const char *path, const char *mode) {
  int flags = mode[0] == 'r' ? O_RDONLY : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY | O_CREAT | O_APPEND;
  if (strchr(mode, '+')) flags = (flags & ~O_ACCMODE) | O_RDWR;
  return open_stream(open(path, flags, 0666), mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
  return !LEAVES(0) ? open_named(path, mode) : REAL(fopen)(path, mode);
}
FILE *fopen64(const char *restrict path, const char *restrict mode) {
  return !LEAVES(0) ? open_named(path, mode) : REAL(fopen64)(path, mode);
}
FILE *fdopen(int descriptor, const char *mode) {
  return !LEAVES(descriptor) ? open_stream(descriptor, mode) : REAL(fdopen)(descriptor, mode);
}
