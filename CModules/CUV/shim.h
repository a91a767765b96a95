// The parts of libuv that Swift can't import, or imports awkwardly: variadic functions, and casts between
// handle types. Also the few system facilities that the event loop needs beside libuv. There is only a
// header: nothing to link.
#pragma once

#include <uv.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#endif

#include "file_queue.h"
#include "libraries.h"
#include "messages.h"
#include "newer.h"
#include "sendfile.h"
#include "turns.h"
#include "whole_files.h"

#if UV_VERSION_HEX < 0x012C00
#error "swift-uv needs libuv 1.44 or later (Debian and Ubuntu: libuv1-dev; macOS: brew install libuv)"
#endif

// MARK: Threads

/// Whether the calling thread is the process's first.
static inline int cuv_is_main_thread(void) {
#ifdef __linux__
  return getpid() == (pid_t)syscall(SYS_gettid);
#else
  return pthread_main_np();
#endif
}

static inline uintptr_t cuv_thread_id(void) { return (uintptr_t)pthread_self(); }

/// Ignores SIGPIPE, unless the program has chosen otherwise. libuv writes with plain `write`.
static inline void cuv_ignore_sigpipe(void) {
  struct sigaction old;
  if (sigaction(SIGPIPE, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
    signal(SIGPIPE, SIG_IGN);
}

// MARK: Tasks

/// The Swift task that the calling thread runs; null if none. `UnsafeCurrentTask` tells the same. But the
/// runtime copies, compares and destroys it by indirect calls, which cost more than the read that they guard.
extern void *swift_task_getCurrent(void);
extern bool swift_task_isCancelled(void *task);
/// Grows from task to task.
extern uint64_t swift_task_getJobTaskId(void *task);
static inline uint64_t cuv_task_number(void *task) { return swift_task_getJobTaskId(task); }
static inline void *cuv_current_task(void) { return swift_task_getCurrent(); }
static inline bool cuv_task_is_cancelled(void *task) { return task && swift_task_isCancelled(task); }

// MARK: Waking a loop

// On its receiving side, libuv 1.44's async handle spins and yields. An eventfd costs one system call on each
// side.
#ifdef __linux__
static inline int cuv_eventfd(void) {
  int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}
static inline void cuv_eventfd_signal(int fd) {
  uint64_t one = 1;
  while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {}
}
static inline void cuv_eventfd_wake(intptr_t fd) { cuv_eventfd_signal((int)fd); }
static inline void cuv_eventfd_clear(int fd) {
  uint64_t count;
  while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {}
}
/// Makes a loop that polls an eventfd learn of each signal once, so that it need not read the eventfd. libuv
/// polls by level. It doesn't touch a descriptor that it polls for the same events as before. Returns false
/// if the system declines.
static inline bool cuv_eventfd_by_edge(uv_loop_t *loop, int fd) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.fd = fd}};
  return epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_MOD, fd, &event) == 0;
}
static inline void cuv_file_queue_wakes(struct cuv_file_queue *queue, int fd) {
  queue->wake = cuv_eventfd_wake;
  queue->target = fd;
}
#else
static inline void cuv_async_wake(intptr_t handle) { uv_async_send((uv_async_t *)handle); }
static inline void cuv_file_queue_wakes(struct cuv_file_queue *queue, uv_async_t *handle) {
  queue->wake = cuv_async_wake;
  queue->target = (intptr_t)handle;
}
#endif

// MARK: Listening

// Without a spare descriptor libuv 1.45 and later accept again and again, and tell nobody; and a listening socket of
// libuv's cannot rest without being closed. So a listener's socket is polled, and its connections are accepted here.

static inline int cuv_listen(int fd, int backlog) {
  return listen(fd, backlog) < 0 ? uv_translate_sys_error(errno) : 0;
}

#ifdef __linux__
// glibc's `accept4`, which its header shows to GNU sources alone.
extern int cuv_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) __asm__("accept4");
#endif

/// A connection's descriptor, which isn't inherited, or a libuv error code. Fills in the peer's address if there is room for it.
static inline int cuv_accept_from(int fd, struct sockaddr *address, socklen_t *length) {
  int accepted;
  do {
#ifdef __linux__
    accepted = cuv_accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    accepted = accept(fd, address, length);
    if (accepted >= 0) fcntl(accepted, F_SETFD, FD_CLOEXEC);
#endif
  } while (accepted < 0 && errno == EINTR);
  return accepted < 0 ? uv_translate_sys_error(errno) : accepted;
}

static inline int cuv_accept(int fd) { return cuv_accept_from(fd, NULL, NULL); }

// MARK: Threads

/// Names the calling thread for debuggers. Linux keeps the first 15 bytes.
static inline void cuv_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name);
#elif defined(__APPLE__)
  pthread_setname_np(name);
#endif
}

// MARK: The main queue

// libdispatch's hooks for an event loop that takes the place of `dispatchMain()`, as Foundation's run loop does.
#ifdef __linux__
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);
#endif

// MARK: Where libuv leaves something behind

/// `uv_loop_init`. If that fails half-way, mostly because there are no descriptors, it forgets the descriptor
/// that it polls with; this closes it.
static inline int cuv_loop_init(uv_loop_t *loop) {
  loop->backend_fd = -1;
  int code = uv_loop_init(loop);
  // Zero if it hasn't opened one.
  if (code < 0 && loop->backend_fd > 2 && fcntl(loop->backend_fd, F_GETFD) >= 0) close(loop->backend_fd);
  return code;
}

/// `uv_write2`. If that has no memory for its list of buffers, it leaves the request counted, and the loop
/// alive; this corrects the count.
static inline int cuv_write(
    uv_write_t *request, uv_stream_t *stream, const uv_buf_t *bufs, unsigned count, uv_stream_t *passed,
    uv_write_cb done) {
  unsigned requests = stream->loop->active_reqs.count;
  int code = uv_write2(request, stream, bufs, count, passed, done);
  if (code < 0) stream->loop->active_reqs.count = requests;
  return code;
}

// MARK: Loops

// Variadic in libuv.
static inline int cuv_loop_block_signal(uv_loop_t *loop, int signal) {
  return uv_loop_configure(loop, UV_LOOP_BLOCK_SIGNAL, signal);
}
static inline int cuv_loop_measure_idle_time(uv_loop_t *loop) {
  return uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

// MARK: Handles and requests

// libuv documents these fields for everybody. A host that carries libuv may have left out the functions that read them, because
// it calls none: uvloop has.
static inline uv_handle_type cuv_handle_type(const uv_handle_t *handle) { return handle->type; }
static inline size_t cuv_write_queue_size(const uv_stream_t *stream) { return stream->write_queue_size; }
static inline uv_pid_t cuv_process_id(const uv_process_t *process) { return process->pid; }

/// The same as `uv_handle_type_name`; null for a type that has no name.
static inline const char *cuv_handle_type_name(uv_handle_type type) {
  switch (type) {
#define CUV_NAME(upper, lower)                                                                               \
  case UV_##upper: return #lower;
    UV_HANDLE_TYPE_MAP(CUV_NAME)
#undef CUV_NAME
    case UV_FILE: return "file";
    default: return NULL;
  }
}

static inline void cuv_handle_set_data(void *handle, void *data) { ((uv_handle_t *)handle)->data = data; }
static inline void *cuv_handle_data(const void *handle) { return ((const uv_handle_t *)handle)->data; }
static inline void cuv_req_set_data(void *req, void *data) { ((uv_req_t *)req)->data = data; }
static inline void *cuv_req_data(const void *req) { return ((const uv_req_t *)req)->data; }

static inline int cuv_try_write(uv_stream_t *stream, const void *bytes, size_t count) {
  uv_buf_t buf;
  buf.base = (char *)bytes;
  buf.len = count;
  return uv_try_write(stream, &buf, 1);
}

static inline void cuv_buf_set(uv_buf_t *buf, const void *bytes, size_t count) {
  buf->base = (char *)bytes;
  buf->len = count;
}

// MARK: Bytes

#ifdef __linux__
// glibc's `memmem`, which its header shows to GNU sources alone.
extern void *cuv_memmem(const void *bytes, size_t count, const void *pattern, size_t length) __asm__("memmem");
#else
#define cuv_memmem memmem
#endif

/// The first occurrence of a pattern of one byte or more; null if there is none. For a short pattern `memmem` takes
/// longer to prepare than `memchr` to search.
static inline const void *cuv_find(const void *bytes, size_t count, const void *pattern, size_t length) {
  if (length > 4) return cuv_memmem(bytes, count, pattern, length);
  const char *next = bytes, *end = next + count;
  while ((size_t)(end - next) >= length) {
    next = memchr(next, *(const char *)pattern, (size_t)(end - next) - length + 1);
    if (!next || memcmp(next, pattern, length) == 0) return next;
    next++;
  }
  return NULL;
}

// MARK: Sockets

static inline int cuv_reuse_port(int fd) {
  int on = 1;
  return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0 ? uv_translate_sys_error(errno) : 0;
}

/// The same as `uv_tcp_getpeername`, for a descriptor that libuv doesn't know yet.
static inline int cuv_getpeername(int fd, struct sockaddr *address, int *length) {
  socklen_t size = (socklen_t)*length;
  if (getpeername(fd, address, &size) < 0) return uv_translate_sys_error(errno);
  *length = (int)size;
  return 0;
}

/// Adds to the permissions of a file. Returns 0 or a libuv error code.
static inline int cuv_add_permissions(const char *path, mode_t permissions) {
  struct stat status;
  if (stat(path, &status) < 0 || chmod(path, (status.st_mode & 07777) | permissions) < 0)
    return uv_translate_sys_error(errno);
  return 0;
}

// MARK: Casts and constants

static inline uv_handle_t *cuv_handle(void *handle) { return (uv_handle_t *)handle; }
static inline uv_stream_t *cuv_stream(void *handle) { return (uv_stream_t *)handle; }
static inline uv_req_t *cuv_request(void *request) { return (uv_req_t *)request; }

/// `SOCK_STREAM` is an enumeration on some systems and a number on others.
static inline int cuv_sock_stream(void) { return SOCK_STREAM; }

/// Lets the calling thread receive a signal. Dispatch's threads block it, and so do threads that these have
/// started.
static inline void cuv_unblock_signal(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// MARK: Descriptors

/// How many bytes can be read from a socket or a pipe at once; none if the system doesn't tell.
static inline int cuv_readable_bytes(int fd) {
  int count = 0;
  return ioctl(fd, FIONREAD, &count) < 0 ? 0 : count;
}

static inline bool cuv_is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

/// Duplicates a descriptor. The duplicate lies above the standard ones and isn't inherited. Returns it, or a
/// libuv error code.
static inline int cuv_duplicate(int fd) {
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  return duplicate < 0 ? uv_translate_sys_error(errno) : duplicate;
}

/// Makes `place` a duplicate of `fd` that isn't inherited. Returns 0 or a libuv error code.
static inline int cuv_replace(int place, int fd) {
  if (dup2(fd, place) < 0 || fcntl(place, F_SETFD, FD_CLOEXEC) < 0) return uv_translate_sys_error(errno);
  return 0;
}

/// Returns 0 or a libuv error code.
static inline int cuv_set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return uv_translate_sys_error(errno);
  return 0;
}

/// Opens the null device in place of each standard descriptor that is closed. Otherwise the next descriptor would be that one,
/// and libuv ends a program that closes it.
static inline void cuv_fill_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (!cuv_is_open(fd) && open("/dev/null", O_RDWR) < 0) return;
}

/// Makes a descriptor blocking again. Returns 0 or a libuv error code.
static inline int cuv_set_blocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) return uv_translate_sys_error(errno);
  return 0;
}

/// The flags with which a descriptor was opened, or a libuv error code.
static inline int cuv_open_flags(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 ? uv_translate_sys_error(errno) : flags;
}

/// Opens the pipe of a descriptor once more, so that its blocking mode is nobody else's. Returns the descriptor, or a
/// libuv error code where the system can't do that.
static inline int cuv_reopen_pipe(int fd, int flags) {
#ifdef __linux__
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int other = open(path, (flags & O_ACCMODE) | O_NONBLOCK | O_CLOEXEC);
  return other < 0 ? uv_translate_sys_error(errno) : other;
#else
  (void)fd, (void)flags;
  return UV_ENOTSUP;
#endif
}

/// Whether a descriptor is a datagram socket. For libuv this includes one of the Unix domain.
static inline bool cuv_is_datagram_socket(int fd) {
  int type;
  socklen_t length = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_DGRAM;
}

/// How many bytes the path of a Unix domain socket may have. libuv 1.44 silently cuts a longer path short.
static inline size_t cuv_socket_path_limit(void) {
  struct sockaddr_un address;
  return sizeof address.sun_path - 1;
}
