// Simulated calls under other names: older ones, and those that a compiler takes with `_FORTIFY_SOURCE`.

#include "kernel.h"
#include "real.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

// MARK: Random bytes

void arc4random_buf(void *bytes, size_t size) {
  if (!IS_SIMULATED) REAL(arc4random_buf)(bytes, size);
  else if (size > 0) getentropy(bytes, size);
}
uint32_t arc4random(void) {
  uint32_t number;
  arc4random_buf(&number, sizeof number);
  return number;
}
uint32_t arc4random_uniform(uint32_t bound) {
  if (!IS_SIMULATED) return REAL(arc4random_uniform)(bound);
  // Of 64 bits, the remainder favours nobody that could be noticed.
  uint64_t number;
  arc4random_buf(&number, sizeof number);
  return bound ? (uint32_t)(number % bound) : 0;
}

// MARK: Time and locks

int timespec_get(struct timespec *time, int base) {
  if (!IS_SIMULATED) return REAL(timespec_get)(time, base);
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (!IS_SIMULATED) return REAL(pthread_spin_lock)(lock);
  // Its owner can let go of it once it runs.
  while (pthread_spin_trylock(lock)) sched_yield();
  return 0;
}

// MARK: Files

int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open64(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int remove(const char *path) {
  if (unlink(path) == 0) return 0;
  return errno == EISDIR ? rmdir(path) : -1;
}

int mkstemp(char *path) { return mkstemp64(path); }
int mkostemp64(char *path, int flags) { return mkostemp(path, flags); }

int scandir(
    const char *restrict path, struct dirent ***restrict result, int (*filter)(const struct dirent *),
    int (*order)(const struct dirent **, const struct dirent **)) {
  return scandir64(path, (struct dirent64 ***)result, (int (*)(const struct dirent64 *))(void *)filter,
                   (int (*)(const struct dirent64 **, const struct dirent64 **))(void *)order);
}

// libc's, under the names that programs have which were built for older ones.
#define OLDER_STATUS(name, type, ...)                                                                        \
  int name(int version, __VA_ARGS__, struct type *status);                                                   \
  int name(int version, __VA_ARGS__, struct type *status)
OLDER_STATUS(__xstat, stat, const char *path) { return stat(path, status); }
OLDER_STATUS(__xstat64, stat64, const char *path) { return stat64(path, status); }
OLDER_STATUS(__lxstat, stat, const char *path) { return lstat(path, status); }
OLDER_STATUS(__lxstat64, stat64, const char *path) { return lstat64(path, status); }
OLDER_STATUS(__fxstat, stat, int descriptor) { return fstat(descriptor, status); }
OLDER_STATUS(__fxstat64, stat64, int descriptor) { return fstat64(descriptor, status); }
int __fxstatat(int version, int directory, const char *path, struct stat *status, int flags);
int __fxstatat(int version, int directory, const char *path, struct stat *status, int flags) {
  return fstatat(directory, path, status, flags);
}
int __fxstatat64(int version, int directory, const char *path, struct stat64 *status, int flags);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *status, int flags) {
  return fstatat64(directory, path, status, flags);
}

long statx_simulated(int directory, const char *path, int flags, struct statx *to);

int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict to) {
  if (!IS_SIMULATED) return REAL(statx)(directory, path, flags, mask, to);
  long code = statx_simulated(directory, path, flags, to);
  if (code >= 0) return 0;
  errno = (int)-code;
  return -1;
}

int eventfd_read(int descriptor, eventfd_t *value) { return read(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1; }
int eventfd_write(int descriptor, eventfd_t value) { return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1; }

/// A simulated machine has no files without a name in memory: what would use one does without.
int memfd_create(const char *name, unsigned flags) {
  if (!IS_SIMULATED) return REAL(memfd_create)(name, flags);
  errno = ENOSYS;
  return -1;
}

void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
  if (!IS_SIMULATED || descriptor < FIRST_DESCRIPTOR) return REAL(mmap64)(address, size, protection, flags, descriptor, offset);
  fail_missing("mmap of a file", __builtin_return_address(0));
  errno = ENOSYS;
  return MAP_FAILED;
}
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (!IS_SIMULATED || descriptor < FIRST_DESCRIPTOR) return REAL(mmap)(address, size, protection, flags, descriptor, offset);
  return mmap64(address, size, protection, flags, descriptor, offset);
}

// MARK: With the size of the buffer, which the program has been compiled for

#define CHECKED(type, name, parameters, arguments, size, room, call)                                         \
  type name parameters;                                                                                      \
  type name parameters {                                                                                     \
    if ((size) > (room)) return REAL(name) arguments;                                                        \
    return call;                                                                                             \
  }
CHECKED(ssize_t, __read_chk, (int descriptor, void *to, size_t size, size_t room), (descriptor, to, size, room), size, room,
        read(descriptor, to, size))
CHECKED(ssize_t, __pread_chk, (int descriptor, void *to, size_t size, off_t from, size_t room),
        (descriptor, to, size, from, room), size, room, pread(descriptor, to, size, from))
CHECKED(ssize_t, __pread64_chk, (int descriptor, void *to, size_t size, off64_t from, size_t room),
        (descriptor, to, size, from, room), size, room, pread64(descriptor, to, size, from))
CHECKED(ssize_t, __recv_chk, (int descriptor, void *to, size_t size, size_t room, int flags),
        (descriptor, to, size, room, flags), size, room, recv(descriptor, to, size, flags))
CHECKED(ssize_t, __recvfrom_chk,
        (int descriptor, void *to, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *length),
        (descriptor, to, size, room, flags, from, length), size, room, recvfrom(descriptor, to, size, flags, from, length))
CHECKED(int, __poll_chk, (struct pollfd *list, nfds_t count, int limit, size_t room), (list, count, limit, room),
        count * sizeof *list, room, poll(list, count, limit))
CHECKED(ssize_t, __readlink_chk, (const char *path, char *to, size_t size, size_t room), (path, to, size, room), size, room,
        readlink(path, to, size))
CHECKED(char *, __getcwd_chk, (char *to, size_t size, size_t room), (to, size, room), size, room, getcwd(to, size))

int openat64(int directory, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return openat(directory, path, flags, mode);
}
int __openat_2(int directory, const char *path, int flags);
int __openat_2(int directory, const char *path, int flags) { return openat(directory, path, flags); }
int __openat64_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags) { return openat(directory, path, flags); }
