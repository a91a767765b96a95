// Stands in front of the C library's functions that libuv and this library call. Not where a sanitizer does.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fault.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(SANITIZED)
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define NEXT ((void *)-1l)
// Declared by hand: the system's headers wrap some of these in ways that a definition cannot repeat.
extern void *dlsym(void *handle, const char *name);

int fault_reaches_system(void) { return 1; }

static _Atomic long turns;
long test_loop_turns(void) { return atomic_load(&turns); }

#define CALLER __builtin_return_address(0)
#define FAULT(name, mask) fault_due(name, TEST_FAULT_SYSTEM, mask, CALLER)
#define REAL(result, name, parameters)                                                                       \
  static result(*_Atomic next) parameters;                                                                   \
  if (next == NULL) next = (result(*) parameters)dlsym(NEXT, #name)
#define FAIL_WITH(error, value)                                                                              \
  do {                                                                                                       \
    errno = error;                                                                                           \
    return value;                                                                                            \
  } while (0)

// MARK: Reading and writing

/// Sockets and files. Loops are woken through other descriptors, whose failure libuv takes for the end of the world.
static int carries_data(int fd) {
  struct stat status;
  int saved = errno;
  int found = fstat(fd, &status) == 0 && (S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode));
  errno = saved;
  return found;
}

#define DATA (FAULT_ENOMEM | FAULT_EAGAIN | FAULT_EINTR | FAULT_SHORT | FAULT_EIO)

#define TRANSFER(name, pointer, parameters, ...)                                                             \
  long name parameters;                                                                                      \
  long name parameters {                                                                                     \
    REAL(long, name, parameters);                                                                            \
    if (fault_is_armed() && carries_data(fd)) {                                                              \
      int error = FAULT(#name, DATA);                                                                        \
      if (error > 0) FAIL_WITH(error, -1);                                                                   \
      if (error == TEST_FAULT_SHORT && count > 1) count /= 2;                                                \
    }                                                                                                        \
    return next(__VA_ARGS__);                                                                                \
  }
TRANSFER(read, void *, (int fd, void *bytes, size_t count), fd, bytes, count)
TRANSFER(write, const void *, (int fd, const void *bytes, size_t count), fd, bytes, count)
TRANSFER(pread64, void *, (int fd, void *bytes, size_t count, long at), fd, bytes, count, at)
TRANSFER(pwrite64, const void *, (int fd, const void *bytes, size_t count, long at), fd, bytes, count, at)

long writev(int fd, const struct iovec *parts, int count);
long writev(int fd, const struct iovec *parts, int count) {
  REAL(long, writev, (int, const struct iovec *, int));
  if (fault_is_armed() && carries_data(fd)) {
    int error = FAULT("writev", DATA);
    if (error > 0) FAIL_WITH(error, -1);
    if (error == TEST_FAULT_SHORT) {
      struct iovec part = {parts[0].iov_base, parts[0].iov_len > 1 ? parts[0].iov_len / 2 : parts[0].iov_len};
      return next(fd, &part, 1);
    }
  }
  return next(fd, parts, count);
}

// MARK: Obtaining descriptors

#define OPENS (FAULT_ENOMEM | FAULT_EMFILE | FAULT_EINTR)

#define OPEN(name)                                                                                           \
  int name(const char *path, int flags, ...);                                                                \
  int name(const char *path, int flags, ...) {                                                               \
    REAL(int, name, (const char *, int, ...));                                                               \
    va_list rest;                                                                                            \
    va_start(rest, flags);                                                                                   \
    unsigned mode = va_arg(rest, unsigned);                                                                  \
    va_end(rest);                                                                                            \
    int error = FAULT(#name, OPENS);                                                                         \
    if (error) FAIL_WITH(error, -1);                                                                         \
    return next(path, flags, mode);                                                                          \
  }
OPEN(open)
OPEN(open64)

#define CALL(name, mask, parameters, arguments)                                                              \
  int name parameters;                                                                                       \
  int name parameters {                                                                                      \
    REAL(int, name, parameters);                                                                             \
    int error = FAULT(#name, mask);                                                                          \
    if (error) FAIL_WITH(error, -1);                                                                         \
    return next arguments;                                                                                   \
  }
CALL(socket, FAULT_ENOMEM | FAULT_EMFILE, (int domain, int type, int protocol), (domain, type, protocol))
CALL(accept4, OPENS | FAULT_EAGAIN, (int fd, void *address, void *length, int flags),
     (fd, address, length, flags))
CALL(eventfd, FAULT_ENOMEM | FAULT_EMFILE, (unsigned value, int flags), (value, flags))
CALL(epoll_create1, FAULT_ENOMEM | FAULT_EMFILE, (int flags), (flags))
CALL(pipe2, FAULT_EMFILE, (int *fds, int flags), (fds, flags))
CALL(mkstemp64, OPENS, (char *path), (path))
CALL(mkostemp64, OPENS, (char *path, int flags), (path, flags))

// MARK: The rest

CALL(bind, FAULT_ENOMEM, (int fd, const void *address, unsigned length), (fd, address, length))
CALL(listen, FAULT_ENOMEM, (int fd, int backlog), (fd, backlog))
CALL(connect, FAULT_ENOMEM | FAULT_EAGAIN | FAULT_EINTR, (int fd, const void *address, unsigned length),
     (fd, address, length))
CALL(shutdown, FAULT_ENOMEM, (int fd, int how), (fd, how))
CALL(mkdir, FAULT_ENOMEM | FAULT_EIO, (const char *path, unsigned mode), (path, mode))
CALL(unlink, FAULT_ENOMEM | FAULT_EIO, (const char *path), (path))
CALL(rename, FAULT_ENOMEM | FAULT_EIO, (const char *from, const char *to), (from, to))
CALL(rmdir, FAULT_ENOMEM | FAULT_EIO, (const char *path), (path))
CALL(symlink, FAULT_ENOMEM | FAULT_EIO, (const char *from, const char *to), (from, to))
CALL(fsync, FAULT_ENOMEM | FAULT_EIO, (int fd), (fd))
CALL(fchmod, FAULT_ENOMEM | FAULT_EIO, (int fd, unsigned mode), (fd, mode))
CALL(scandir64, FAULT_ENOMEM | FAULT_EMFILE, (const char *path, void *entries, void *filter, void *order),
     (path, entries, filter, order))

enum { RESOLVER_AGAIN = -3, RESOLVER_MEMORY = -10 };
int getaddrinfo(const char *node, const char *service, const void *hints, void *result);
int getaddrinfo(const char *node, const char *service, const void *hints, void *result) {
  REAL(int, getaddrinfo, (const char *, const char *, const void *, void *));
  int error = FAULT("getaddrinfo", FAULT_ENOMEM | FAULT_EAGAIN);
  if (error) return error == EAGAIN ? RESOLVER_AGAIN : RESOLVER_MEMORY;
  return next(node, service, hints, result);
}

// The way in for calls that the C library has no name for; six arguments at most.
long syscall(long number, ...);
long syscall(long number, ...) {
  REAL(long, syscall, (long, ...));
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_statx) {
    int error = FAULT("statx", FAULT_ENOMEM | FAULT_EIO);
    if (error) FAIL_WITH(error, -1);
  }
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// MARK: Turns of a loop

#define WAIT(name, parameters, arguments)                                                                    \
  int name parameters;                                                                                       \
  int name parameters {                                                                                      \
    REAL(int, name, parameters);                                                                             \
    atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);                                              \
    return next arguments;                                                                                   \
  }
WAIT(epoll_wait, (int fd, void *events, int count, int timeout), (fd, events, count, timeout))
WAIT(epoll_pwait, (int fd, void *events, int count, int timeout, const void *mask),
     (fd, events, count, timeout, mask))
#else
int fault_reaches_system(void) { return 0; }
long test_loop_turns(void) { return -1; }
#endif
