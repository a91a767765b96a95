// Stands in front of those functions of libuv's that can be refused when they are called. Not of `uv_accept`
// and `uv_spawn`, which have done a part even where they fail, not of `uv_fs_*`, which are refused for want
// of memory only, and not of `uv_tcp_init`, `uv_poll_start` and their like, which never are as they are used
// here.

#include "fault.h"

#include <stddef.h>
#include <string.h>

#define NEXT ((void *)-1l)
extern void *dlsym(void *handle, const char *name);

#define CALL(name, parameters, arguments)                                                                    \
  FAULT_REGISTER(name, TEST_FAULT_LIBUV, ~FAULT_SHORT)                                                       \
  int name parameters;                                                                                       \
  int name parameters {                                                                                      \
    static int(*_Atomic next) parameters;                                                                    \
    if (next == NULL) next = (int(*) parameters)dlsym(NEXT, #name);                                          \
    int error = fault_due(#name, TEST_FAULT_LIBUV, ~FAULT_SHORT, __builtin_return_address(0));               \
    return error ? -error : next arguments;                                                                  \
  }

// MARK: Handles

CALL(uv_signal_init, (void *loop, void *handle), (loop, handle))
CALL(uv_loop_init, (void *loop), (loop))
CALL(uv_poll_init, (void *loop, void *handle, int fd), (loop, handle, fd))
CALL(uv_udp_init_ex, (void *loop, void *handle, unsigned flags), (loop, handle, flags))
CALL(uv_tty_init, (void *loop, void *handle, int fd, int unused), (loop, handle, fd, unused))
CALL(uv_signal_start, (void *handle, void *callback, int signal), (handle, callback, signal))
CALL(uv_fs_event_start, (void *handle, void *callback, const char *path, unsigned flags),
     (handle, callback, path, flags))
CALL(uv_fs_poll_start, (void *handle, void *callback, const char *path, unsigned interval),
     (handle, callback, path, interval))

// MARK: Streams

CALL(uv_read_start, (void *stream, void *allocate, void *done), (stream, allocate, done))
CALL(uv_write2,
     (void *request, void *stream, const void *buffers, unsigned count, void *passed, void *done),
     (request, stream, buffers, count, passed, done))
CALL(uv_try_write2, (void *stream, const void *buffers, unsigned count, void *passed),
     (stream, buffers, count, passed))
CALL(uv_try_write, (void *stream, const void *buffers, unsigned count), (stream, buffers, count))
CALL(uv_stream_set_blocking, (void *stream, int is_blocking), (stream, is_blocking))
CALL(uv_shutdown, (void *request, void *stream, void *done), (request, stream, done))
CALL(uv_tcp_bind, (void *handle, const void *address, unsigned flags), (handle, address, flags))
CALL(uv_tcp_connect, (void *request, void *handle, const void *address, void *done),
     (request, handle, address, done))
CALL(uv_tcp_nodelay, (void *handle, int enable), (handle, enable))
CALL(uv_tcp_keepalive, (void *handle, int enable, unsigned delay), (handle, enable, delay))
CALL(uv_tcp_getsockname, (const void *handle, void *address, int *length), (handle, address, length))
CALL(uv_tcp_getpeername, (const void *handle, void *address, int *length), (handle, address, length))
CALL(uv_pipe, (int *ends, int reading, int writing), (ends, reading, writing))
CALL(uv_socketpair, (int type, int protocol, int *ends, int first, int second),
     (type, protocol, ends, first, second))
CALL(uv_pipe_open, (void *handle, int fd), (handle, fd))
CALL(uv_pipe_getsockname, (const void *handle, char *path, size_t *length), (handle, path, length))
CALL(uv_pipe_getpeername, (const void *handle, char *path, size_t *length), (handle, path, length))
CALL(uv_tty_set_mode, (void *handle, int mode), (handle, mode))
CALL(uv_tty_get_winsize, (void *handle, int *width, int *height), (handle, width, height))

// MARK: Datagrams

CALL(uv_udp_bind, (void *handle, const void *address, unsigned flags), (handle, address, flags))
CALL(uv_udp_connect, (void *handle, const void *address), (handle, address))
CALL(uv_udp_open, (void *handle, int fd), (handle, fd))
CALL(uv_udp_recv_start, (void *handle, void *allocate, void *done), (handle, allocate, done))
CALL(uv_udp_try_send, (void *handle, const void *buffers, unsigned count, const void *address),
     (handle, buffers, count, address))
CALL(uv_udp_send,
     (void *request, void *handle, const void *buffers, unsigned count, const void *address, void *done),
     (request, handle, buffers, count, address, done))
CALL(uv_udp_set_broadcast, (void *handle, int enable), (handle, enable))
CALL(uv_udp_set_ttl, (void *handle, int hops), (handle, hops))
CALL(uv_udp_set_multicast_loop, (void *handle, int enable), (handle, enable))
CALL(uv_udp_set_multicast_ttl, (void *handle, int hops), (handle, hops))
CALL(uv_udp_set_multicast_interface, (void *handle, const char *name), (handle, name))

// MARK: The thread pool

CALL(uv_queue_work, (void *loop, void *request, void *work, void *done), (loop, request, work, done))
CALL(uv_random, (void *loop, void *request, void *bytes, size_t count, unsigned flags, void *done),
     (loop, request, bytes, count, flags, done))
CALL(uv_getaddrinfo,
     (void *loop, void *request, void *done, const char *node, const char *service, const void *hints),
     (loop, request, done, node, service, hints))
CALL(uv_getnameinfo, (void *loop, void *request, void *done, const void *address, int flags),
     (loop, request, done, address, flags))

// MARK: The system

CALL(uv_cpu_info, (void *entries, int *count), (entries, count))
FAULT_REGISTER(uv_exepath, TEST_FAULT_LIBUV, ~FAULT_SHORT)
static const char *program_path;
void test_exepath(const char *path) { program_path = path; }
int uv_exepath(char *path, size_t *size);
int uv_exepath(char *path, size_t *size) {
  static int (*_Atomic next)(char *, size_t *);
  if (next == NULL) next = (int (*)(char *, size_t *))dlsym(NEXT, "uv_exepath");
  int error = fault_due("uv_exepath", TEST_FAULT_LIBUV, ~FAULT_SHORT, __builtin_return_address(0));
  if (error) return -error;
  if (program_path == NULL) return next(path, size);
  // As libuv does: what doesn't fit is cut off.
  size_t count = strlen(program_path);
  if (count > *size - 1) count = *size - 1;
  memcpy(path, program_path, count);
  path[count] = 0;
  *size = count;
  return 0;
}
CALL(uv_cwd, (char *path, size_t *size), (path, size))
CALL(uv_os_homedir, (char *path, size_t *size), (path, size))
CALL(uv_os_tmpdir, (char *path, size_t *size), (path, size))
CALL(uv_os_get_passwd, (void *entry), (entry))
CALL(uv_os_gethostname, (char *name, size_t *size), (name, size))
CALL(uv_os_uname, (void *names), (names))
CALL(uv_resident_set_memory, (size_t *size), (size))
CALL(uv_getrusage, (void *usage), (usage))
CALL(uv_uptime, (double *seconds), (seconds))
CALL(uv_os_getpriority, (int process, int *priority), (process, priority))
CALL(uv_os_environ, (void *entries, int *count), (entries, count))
CALL(uv_os_setenv, (const char *name, const char *value), (name, value))
CALL(uv_os_unsetenv, (const char *name), (name))
CALL(uv_interface_addresses, (void *entries, int *count), (entries, count))

static uint64_t memory_limit;
static int has_memory_limit;
void test_constrained_memory(uint64_t limit) {
  memory_limit = limit;
  has_memory_limit = 1;
}
uint64_t uv_get_constrained_memory(void);
uint64_t uv_get_constrained_memory(void) {
  static uint64_t (*_Atomic next)(void);
  if (next == NULL) next = (uint64_t (*)(void))dlsym(NEXT, "uv_get_constrained_memory");
  return has_memory_limit ? memory_limit : next();
}
void test_constrained_memory_end(void) { has_memory_limit = 0; }
