// Stands in front of what deals with files by name, with the names of hosts, and with calls by number.

#include "system.h"

#ifdef REACHES_SYSTEM
#include <time.h>

// MARK: Files

CALL(access, FILES, (const char *path, int mode), (path, mode))
CALL(chmod, FILES, (const char *path, unsigned mode), (path, mode))
CALL(chown, FILES, (const char *path, unsigned user, unsigned group), (path, user, group))
CALL(lchown, FILES, (const char *path, unsigned user, unsigned group), (path, user, group))
CALL(fchmod, FILES, (int fd, unsigned mode), (fd, mode))
CALL(fchown, FILES, (int fd, unsigned user, unsigned group), (fd, user, group))
CALL(fdatasync, FILES, (int fd), (fd))
CALL(fsync, FILES, (int fd), (fd))
CALL(ftruncate64, FILES | FAULT_EINTR, (int fd, long length), (fd, length))
CALL(futimens, FILES, (int fd, const struct timespec *times), (fd, times))
CALL(utimensat, FILES, (int fd, const char *path, const struct timespec *times, int flags),
     (fd, path, times, flags))
CALL(link, FILES, (const char *from, const char *to), (from, to))
CALL(symlink, FILES, (const char *from, const char *to), (from, to))
CALL(rename, FILES, (const char *from, const char *to), (from, to))
CALL(mkdir, FILES, (const char *path, unsigned mode), (path, mode))
CALL(rmdir, FILES, (const char *path), (path))
CALL(unlink, FILES, (const char *path), (path))
CALL(statfs64, FILES, (const char *path, void *status), (path, status))
CALL(scandir64, FAULT_ENOMEM | FAULT_EMFILE, (const char *path, void *entries, void *filter, void *order),
     (path, entries, filter, order))

OBTAIN(char *, NULL, mkdtemp, FILES, (char *path), (path))
OBTAIN(void *, NULL, opendir, OPENS, (const char *path), (path))
OBTAIN(void *, NULL, readdir64, FILES, (void *directory), (directory))
OBTAIN(long, -1, readlink, FILES, (const char *path, char *target, size_t size), (path, target, size))
OBTAIN(char *, NULL, realpath, FILES, (const char *path, char *target), (path, target))
FAULT_REGISTER(sendfile, TEST_FAULT_SYSTEM, DATA)
long sendfile(int to, int from, long *offset, size_t count);
long sendfile(int to, int from, long *offset, size_t count) {
  REAL(long, sendfile, (int, int, long *, size_t));
  int error = FAULT("sendfile", DATA);
  if (error > 0) FAIL_WITH(error, -1);
  return next(to, from, offset, error == TEST_FAULT_SHORT && count > 1 ? count / 2 : count);
}

// MARK: Names

enum { RESOLVER_AGAIN = -3, RESOLVER_MEMORY = -10 };
#define RESOLVER(name, parameters, arguments)                                                                \
  FAULT_REGISTER(name, TEST_FAULT_SYSTEM, FAULT_ENOMEM | FAULT_EAGAIN)                                       \
  int name parameters;                                                                                       \
  int name parameters {                                                                                      \
    REAL(int, name, parameters);                                                                             \
    int error = FAULT(#name, FAULT_ENOMEM | FAULT_EAGAIN);                                                   \
    if (error) return error == EAGAIN ? RESOLVER_AGAIN : RESOLVER_MEMORY;                                    \
    return next arguments;                                                                                   \
  }
RESOLVER(getaddrinfo, (const char *node, const char *service, const void *hints, void *result),
         (node, service, hints, result))
RESOLVER(getnameinfo,
         (const void *address, unsigned length, char *host, unsigned host_length, char *service,
          unsigned service_length, int flags),
         (address, length, host, host_length, service, service_length, flags))

// MARK: What the C library has no name for

#define BATCH (MESSAGE | FAULT_SHORT)
#define COPY (FAULT_ENOMEM | FAULT_EINTR | FAULT_SHORT)
#define RANDOM (FAULT_ENOMEM | FAULT_EINTR)
FAULT_REGISTER(statx, TEST_FAULT_SYSTEM, FILES)
FAULT_REGISTER(recvmmsg, TEST_FAULT_SYSTEM, BATCH)
FAULT_REGISTER(sendmmsg, TEST_FAULT_SYSTEM, MESSAGE)
FAULT_REGISTER(copy_file_range, TEST_FAULT_SYSTEM, COPY)
FAULT_REGISTER(getrandom, TEST_FAULT_SYSTEM, RANDOM)

// An older libuv calls these two by their numbers, later ones by their names.
struct mmsghdr;
int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit);
int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
  REAL(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *));
  int error = FAULT("recvmmsg", BATCH);
  if (error > 0) FAIL_WITH(error, -1);
  return next(fd, messages, error == TEST_FAULT_SHORT && count > 1 ? count / 2 : count, flags, limit);
}
int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
  REAL(int, sendmmsg, (int, struct mmsghdr *, unsigned, int));
  int error = FAULT("sendmmsg", MESSAGE);
  if (error) FAIL_WITH(error, -1);
  return next(fd, messages, count, flags);
}

// Six arguments at most.
long syscall(long number, ...);
long syscall(long number, ...) {
  REAL(long, syscall, (long, ...));
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  int error = 0;
  // What a call that takes less than it was given counts.
  long *count = NULL;
  switch (number) {
    case SYS_statx: error = FAULT("statx", FILES); break;
    case SYS_recvmmsg: error = FAULT("recvmmsg", BATCH), count = &a[2]; break;
    case SYS_sendmmsg: error = FAULT("sendmmsg", MESSAGE); break;
    case SYS_copy_file_range: error = FAULT("copy_file_range", COPY), count = &a[4]; break;
    case SYS_getrandom: error = FAULT("getrandom", RANDOM); break;
  }
  if (error > 0) FAIL_WITH(error, -1);
  if (error == TEST_FAULT_SHORT && *count > 1) *count /= 2;
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#endif
