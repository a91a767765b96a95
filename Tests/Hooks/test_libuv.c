// Stands in front of those functions of libuv's that can be refused when they are called.

#include "fault.h"

#include <stddef.h>

#define NEXT ((void *)-1l)
extern void *dlsym(void *handle, const char *name);

#define CALL(name, parameters, arguments)                                                                    \
  int name parameters;                                                                                       \
  int name parameters {                                                                                      \
    static int(*_Atomic next) parameters;                                                                    \
    if (next == NULL) next = (int(*) parameters)dlsym(NEXT, #name);                                          \
    int error = fault_due(#name, TEST_FAULT_LIBUV, ~FAULT_SHORT, __builtin_return_address(0));               \
    return error ? -error : next arguments;                                                                  \
  }

CALL(uv_loop_init, (void *loop), (loop))
CALL(uv_poll_init, (void *loop, void *handle, int fd), (loop, handle, fd))
CALL(uv_tcp_bind, (void *handle, const void *address, unsigned flags), (handle, address, flags))
CALL(uv_listen, (void *stream, int backlog, void *done), (stream, backlog, done))
CALL(uv_tcp_connect, (void *request, void *handle, const void *address, void *done),
     (request, handle, address, done))
CALL(uv_read_start, (void *stream, void *allocate, void *done), (stream, allocate, done))
CALL(uv_write2,
     (void *request, void *stream, const void *buffers, unsigned count, void *passed, void *done),
     (request, stream, buffers, count, passed, done))
CALL(uv_try_write, (void *stream, const void *buffers, unsigned count), (stream, buffers, count))
CALL(uv_shutdown, (void *request, void *stream, void *done), (request, stream, done))
CALL(uv_queue_work, (void *loop, void *request, void *work, void *done), (loop, request, work, done))
CALL(uv_getaddrinfo,
     (void *loop, void *request, void *done, const char *node, const char *service, const void *hints),
     (loop, request, done, node, service, hints))
CALL(uv_signal_init, (void *loop, void *handle), (loop, handle))
CALL(uv_signal_start, (void *handle, void *callback, int signal), (handle, callback, signal))
