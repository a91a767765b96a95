// This library's reaches behind the interfaces that are promised. Each says why it is there, and what would
// be without it. Everything else goes through libuv's functions, the system's and Swift's own.
#pragma once

#include <uv.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

// MARK: The Swift runtime

/// The Swift task that the calling thread runs; null if none. `UnsafeCurrentTask` returns the same. But the
/// runtime copies, compares and destroys it by indirect calls, which cost more than the read that they guard.
extern void *swift_task_getCurrent(void);
extern bool swift_task_isCancelled(void *task);
static inline void *cuv_current_task(void) { return swift_task_getCurrent(); }
static inline bool cuv_task_is_cancelled(void *task) { return task && swift_task_isCancelled(task); }
/// Grows from task to task. Tasks have no order that another function shows.
extern uint64_t swift_task_getJobTaskId(void *task);
static inline uint64_t cuv_task_number(void *task) { return swift_task_getJobTaskId(task); }

// MARK: libdispatch

// libdispatch's hooks for an event loop that takes the place of `dispatchMain()`, as Foundation's run loop
// does.
#ifdef __linux__
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/// Whether a Swift task that is suspended waits for its turn on the main queue. The runtime notes in a task's
/// header the queue that it has put the task on last. Without it, a run that the main actor waits for, and
/// that waits for the main actor, would hang in silence; a runtime that notes nothing makes this false.
extern char cuv_main_queue[] __asm__("_dispatch_main_q");
static inline bool cuv_task_is_on_main_queue(const void *task) {
  return ((void *const *)task)[3] == (void *)cuv_main_queue;
}
#endif

// MARK: libuv's loop

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

/// Code of the libuv that made a loop, which distinguishes two of them. libuv keeps the layout of what
/// its header shows for all versions that begin with 1.
static inline uintptr_t cuv_loop_origin(const uv_loop_t *loop) { return (uintptr_t)loop->wq_async.async_cb; }

#ifdef __linux__
/// Makes a loop that polls an eventfd learn of each signal once, so that it need not read the eventfd. libuv
/// polls by level. It doesn't touch a descriptor that it polls for the same events as before. Returns false
/// if the system declines.
static inline bool cuv_eventfd_by_edge(uv_loop_t *loop, int fd) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.fd = fd}};
  return epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_MOD, fd, &event) == 0;
}
#endif

// MARK: libuv's handles

// libuv documents these fields for everybody. A host that carries libuv may have left out the functions that
// read them, because it calls none: uvloop has.
static inline uv_handle_type cuv_handle_type(const uv_handle_t *handle) { return handle->type; }
static inline size_t cuv_write_queue_size(const uv_stream_t *stream) { return stream->write_queue_size; }
static inline uv_pid_t cuv_process_id(const uv_process_t *process) { return process->pid; }
static inline void cuv_handle_set_data(void *handle, void *data) { ((uv_handle_t *)handle)->data = data; }
static inline void *cuv_handle_data(const void *handle) { return ((const uv_handle_t *)handle)->data; }
static inline void cuv_req_set_data(void *req, void *data) { ((uv_req_t *)req)->data = data; }
static inline void *cuv_req_data(const void *req) { return ((const uv_req_t *)req)->data; }
