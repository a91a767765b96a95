// cancel: begin an operation and cancel it. A read, an accept and timers end at once, without a callback; a connect and a
// stat end in theirs.

#include "jobs.h"
#include "repeated.h"

#include <sys/socket.h>
#include <unistd.h>

enum what { READ, ACCEPT, CONNECT, STAT, CHILDREN };
enum { CHILD_COUNT = 10 };

struct cancels {
  struct cb_repeated work;
  uv_pipe_t pipe;
  int peer;
  uv_tcp_t listener;
  uv_poll_t poll;
  uv_timer_t timers[CHILD_COUNT];
};

static void fail(struct cb_repeated *work, int error, const char *what) {
  if (error != 0) cb_fail(work->result, error, what);
}

// What ends at once.

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle, (void)suggested;
  *buffer = uv_buf_init(NULL, 0);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  (void)buffer;
  cb_fail(stream->data, (int)count, "a read that was to be stopped");
}

static void begin_read(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  uv_os_sock_t ends[2];
  uv_pipe_init(&work->loop, &all->pipe, 0);
  all->pipe.data = work->result;
  fail(work, uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), "uv_socketpair");
  fail(work, uv_pipe_open(&all->pipe, ends[0]), "uv_pipe_open");
  all->peer = ends[1];
}

static uint64_t cancel_read(struct cb_repeated *work) {
  uv_stream_t *stream = (uv_stream_t *)&((struct cancels *)work)->pipe;
  return uv_read_start(stream, on_allocate, on_read) == 0 && uv_read_stop(stream) == 0;
}

static void end_read(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  if (uv_is_active((uv_handle_t *)&all->pipe)) cb_fail(work->result, UV_EBUSY, "a read that was stopped is active");
  uv_close((uv_handle_t *)&all->pipe, NULL);
  close(all->peer);
}

static void on_connection(uv_poll_t *poll, int status, int events) {
  (void)events;
  cb_fail(poll->data, status, "a connection that nobody has made");
}

// libuv's own listener cannot be asked to rest. So its socket is watched, as the styles do.
static void begin_accept(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  struct sockaddr_in address;
  uv_os_fd_t descriptor = -1;
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(&work->loop, &all->listener);
  fail(work, uv_tcp_bind(&all->listener, (struct sockaddr *)&address, 0), "uv_tcp_bind");
  fail(work, uv_fileno((uv_handle_t *)&all->listener, &descriptor), "uv_fileno");
  fail(work, uv_poll_init(&work->loop, &all->poll, descriptor), "uv_poll_init");
  if (listen(descriptor, 1024) < 0) cb_fail(work->result, UV_EADDRINUSE, "listen");
  all->poll.data = work->result;
}

static uint64_t cancel_accept(struct cb_repeated *work) {
  uv_poll_t *poll = &((struct cancels *)work)->poll;
  return uv_poll_start(poll, UV_READABLE, on_connection) == 0 && uv_poll_stop(poll) == 0;
}

static void end_accept(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  if (uv_is_active((uv_handle_t *)&all->poll)) cb_fail(work->result, UV_EBUSY, "a socket is watched still");
  uv_close((uv_handle_t *)&all->poll, NULL);
  uv_close((uv_handle_t *)&all->listener, NULL);
}

static void on_timer(uv_timer_t *timer) {
  cb_fail(timer->data, UV_ETIMEDOUT, "a timer fired that was to be stopped");
}

static void begin_children(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  for (int i = 0; i < CHILD_COUNT; i++) {
    uv_timer_init(&work->loop, &all->timers[i]);
    all->timers[i].data = work->result;
  }
}

static uint64_t cancel_children(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  uint64_t stopped = 0;
  for (int i = 0; i < CHILD_COUNT; i++) uv_timer_start(&all->timers[i], on_timer, BENCH_TIMEOUT_MS, 0);
  for (int i = 0; i < CHILD_COUNT; i++) stopped += uv_timer_stop(&all->timers[i]) == 0;
  return stopped == CHILD_COUNT;
}

static void end_children(struct cb_repeated *work) {
  struct cancels *all = (struct cancels *)work;
  for (int i = 0; i < CHILD_COUNT; i++) {
    uv_handle_t *timer = (uv_handle_t *)&all->timers[i];
    if (uv_is_active(timer)) cb_fail(work->result, UV_EBUSY, "a stopped timer is active");
    uv_close(timer, NULL);
  }
}

// What ends in a callback.

static void on_closed(uv_handle_t *handle) {
  struct job *job = handle->data;
  job_done(job, job->found);
}

static void on_connect(uv_connect_t *connect, int status) {
  struct job *job = connect->data;
  job->found = status == UV_ECANCELED;
}

static void connect_and_cancel(struct job *job, const char *path) {
  (void)path;
  struct sockaddr_in address;
  uv_ip4_addr("127.0.0.1", job->all->params->port, &address);
  uv_tcp_init(&job->all->loop, &job->tcp);
  job->tcp.data = job->connect.data = job;
  int error = uv_tcp_connect(&job->connect, &job->tcp, (struct sockaddr *)&address, on_connect);
  if (error != 0) job_failed(job, error, "uv_tcp_connect");
  uv_close((uv_handle_t *)&job->tcp, on_closed);
}

static void on_stat(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uv_fs_req_cleanup(request);
  // A thread of the pool may have taken it before. Then it runs to its end.
  job_done(job, answer == (job->found ? UV_ECANCELED : 0));
}

static void stat_and_cancel(struct job *job, const char *path) {
  (void)path;
  job->request.data = job;
  int error = uv_fs_stat(&job->all->loop, &job->request, job->all->params->directory, on_stat);
  if (error != 0) job_failed(job, error, "uv_fs_stat");
  job->found = error == 0 && uv_cancel((uv_req_t *)&job->request) == 0;
}

static int run_connects(const struct cb_params *params, struct cb_result *result) {
  struct bench_full_listener full;
  int error = bench_full_listener_open(&full);
  if (error != 0) {
    cb_fail(result, uv_translate_sys_error(error), "a listener that is full");
    return UV_EIO;
  }
  struct cb_params with_port = *params;
  with_port.port = full.port;
  error = jobs_run(&with_port, result, 0, connect_and_cancel);
  bench_full_listener_close(&full);
  return error;
}

static int run(const struct cb_params *params, struct cb_result *result) {
  if (params->what == CONNECT) return run_connects(params, result);
  if (params->what == STAT) return jobs_run(params, result, 0, stat_and_cancel);
  struct cancels all = {.work = {.params = params, .result = result}};
  switch ((enum what)params->what) {
    case READ:
      all.work.begin = begin_read, all.work.operation = cancel_read, all.work.end = end_read;
      break;
    case ACCEPT:
      all.work.begin = begin_accept, all.work.operation = cancel_accept, all.work.end = end_accept;
      break;
    default:
      all.work.begin = begin_children, all.work.operation = cancel_children, all.work.end = end_children;
  }
  return cb_repeat(&all.work);
}

CB_ROW("cancel", run)
