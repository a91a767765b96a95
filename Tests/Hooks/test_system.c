// Stands in front of what moves bytes, makes descriptors, and deals with sockets, terminals and processes.

#include "system.h"

#ifdef REACHES_SYSTEM
int fault_reaches_system(void) { return 1; }

// MARK: Reading and writing

/// Sockets, files and terminals. Loops are woken through other descriptors, whose failure libuv takes for the
/// end of the world.
static int carries_data(int fd) {
  struct stat status;
  int saved = errno;
  int found = fstat(fd, &status) == 0 &&
              (S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
  errno = saved;
  return found;
}

#define TRANSFER(name, pointer, parameters, ...)                                                             \
  FAULT_REGISTER(name, TEST_FAULT_SYSTEM, DATA)                                                              \
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

FAULT_REGISTER(writev, TEST_FAULT_SYSTEM, DATA)
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

#define OPEN(name)                                                                                           \
  FAULT_REGISTER(name, TEST_FAULT_SYSTEM, OPENS)                                                             \
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

FAULT_REGISTER(openat, TEST_FAULT_SYSTEM, OPENS)
int openat(int directory, const char *path, int flags, ...);
int openat(int directory, const char *path, int flags, ...) {
  REAL(int, openat, (int, const char *, int, ...));
  va_list rest;
  va_start(rest, flags);
  unsigned mode = va_arg(rest, unsigned);
  va_end(rest);
  int error = FAULT("openat", OPENS);
  if (error) FAIL_WITH(error, -1);
  return next(directory, path, flags, mode);
}
CALL(socket, FAULT_ENOMEM | FAULT_EMFILE, (int domain, int type, int protocol), (domain, type, protocol))
CALL(accept4, OPENS | FAULT_EAGAIN, (int fd, void *address, void *length, int flags),
     (fd, address, length, flags))
CALL(eventfd, FAULT_ENOMEM | FAULT_EMFILE, (unsigned value, int flags), (value, flags))
CALL(epoll_create1, FAULT_ENOMEM | FAULT_EMFILE, (int flags), (flags))
CALL(pipe2, FAULT_EMFILE, (int *fds, int flags), (fds, flags))
CALL(socketpair, FAULT_ENOMEM | FAULT_EMFILE, (int domain, int type, int protocol, int *fds),
     (domain, type, protocol, fds))
// Not interrupted: libuv begins again with the path that it has cleared.
CALL(mkostemp, FAULT_ENOMEM | FAULT_EMFILE, (char *path, int flags), (path, flags))
CALL(inotify_init1, FAULT_ENOMEM | FAULT_EMFILE, (int flags), (flags))

enum { DUPLICATE = 1030 };
FAULT_REGISTER(fcntl, TEST_FAULT_SYSTEM, FAULT_EMFILE)
int fcntl(int fd, int command, ...);
int fcntl(int fd, int command, ...) {
  REAL(int, fcntl, (int, int, ...));
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (command == DUPLICATE && FAULT("fcntl", FAULT_EMFILE)) FAIL_WITH(EMFILE, -1);
  return next(fd, command, argument);
}

// MARK: Sockets

CALL(bind, FAULT_ENOMEM, (int fd, const void *address, unsigned length), (fd, address, length))
CALL(listen, FAULT_ENOMEM, (int fd, int backlog), (fd, backlog))
CALL(connect, FAULT_ENOMEM | FAULT_EAGAIN | FAULT_EINTR, (int fd, const void *address, unsigned length),
     (fd, address, length))
CALL(shutdown, FAULT_ENOMEM, (int fd, int how), (fd, how))
CALL(setsockopt, FAULT_ENOMEM, (int fd, int level, int name, const void *value, unsigned length),
     (fd, level, name, value, length))
CALL(getsockname, FAULT_ENOMEM, (int fd, void *address, unsigned *length), (fd, address, length))
CALL(getpeername, FAULT_ENOMEM, (int fd, void *address, unsigned *length), (fd, address, length))

OBTAIN(long, -1, sendmsg, MESSAGE, (int fd, const void *message, int flags), (fd, message, flags))
OBTAIN(long, -1, recvmsg, MESSAGE, (int fd, void *message, int flags), (fd, message, flags))

// MARK: Terminals, processes, changes

CALL(tcgetattr, FAULT_EIO, (int fd, void *attributes), (fd, attributes))
CALL(tcsetattr, FAULT_EIO | FAULT_EINTR, (int fd, int when, const void *attributes), (fd, when, attributes))
CALL(posix_openpt, FAULT_ENOMEM | FAULT_EMFILE, (int flags), (flags))
CALL(unlockpt, FAULT_EIO, (int fd), (fd))
CALL(clone, FAULT_ENOMEM | FAULT_EAGAIN, (void *begin, void *stack, int flags, void *context, int *descriptor),
     (begin, stack, flags, context, descriptor))
CALL(waitpid, FAULT_EINTR, (int process, int *status, int options), (process, status, options))
CALL(waitid, FAULT_EINTR, (int type, unsigned id, void *end, int options), (type, id, end, options))
CALL(inotify_add_watch, FAULT_ENOMEM | FAULT_EIO, (int fd, const char *path, unsigned mask), (fd, path, mask))

// MARK: Turns of a loop

static _Atomic long turns;
long test_loop_turns(void) { return atomic_load(&turns); }

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
