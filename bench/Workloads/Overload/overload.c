// overload: each request is a job for the thread pool, and is answered when that has ended; or at once, without work, if
// too many are under way.

#include "tcp_server.h"

#include <stdlib.h>
#include <string.h>

struct job {
  union {
    uv_work_t work;
    uv_write_t write;
  } request;
  struct connection *connection;
  struct bench_job message;
};

static void on_written(uv_write_t *write, int status) {
  struct job *job = write->data;
  if (status < 0) connection_close(job->connection, status, "uv_write");
  free(job);
}

static void answer(struct job *job) {
  struct connection *connection = job->connection;
  uv_stream_t *stream = (uv_stream_t *)&connection->handle;
  uv_buf_t bytes = uv_buf_init((char *)&job->message, BENCH_JOB);
  int wrote = uv_is_closing((uv_handle_t *)stream) ? UV_ECANCELED : uv_try_write(stream, &bytes, 1);
  if (wrote == UV_EAGAIN) wrote = 0;
  if (wrote >= 0) connection->server->result->bytes_written += BENCH_JOB;
  if (wrote >= 0 && wrote < BENCH_JOB) {
    bytes = uv_buf_init(bytes.base + wrote, BENCH_JOB - (unsigned)wrote);
    job->request.write.data = job;
    wrote = uv_write(&job->request.write, stream, &bytes, 1, on_written);
    if (wrote == 0) return;
  }
  if (wrote < 0) connection_close(connection, wrote, "uv_write");
  free(job);
}

static void work(uv_work_t *work) {
  struct job *job = work->data;
  job->message.value = bench_job_do(job->message.value);
}

static void did_work(uv_work_t *work, int status) {
  struct job *job = work->data;
  job->connection->server->jobs--;
  if (status < 0) cb_fail(job->connection->server->result, status, "uv_queue_work");
  answer(job);
}

static int begin(struct connection *connection) {
  struct tcp_server *server = connection->server;
  struct job *job = malloc(sizeof *job);
  if (job == NULL) return UV_ENOMEM;
  job->connection = connection;
  memcpy(&job->message, connection->head, BENCH_JOB);
  if (server->params->in_flight > 0 && server->jobs == server->params->in_flight) {
    job->message.value = BENCH_JOB_BUSY;
    answer(job);
    return 0;
  }
  server->jobs++;
  job->request.work.data = job;
  return uv_queue_work(&server->loop, &job->request.work, work, did_work);
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  while (count > 0) {
    size_t part = BENCH_JOB - connection->received;
    if (part > count) part = count;
    int error = connection_head(connection, BENCH_JOB) == NULL ? UV_ENOMEM : 0;
    if (error == 0) memcpy(connection->head + connection->received, bytes, part);
    bytes += part;
    count -= part;
    connection->received += part;
    if (error == 0 && connection->received < BENCH_JOB) return;
    connection->received = 0;
    if (error == 0) error = begin(connection);
    if (error < 0) {
      connection_close(connection, error, "uv_queue_work");
      return;
    }
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return tcp_server_run(params, result, (struct tcp_service){.on_bytes = on_bytes});
}

CB_ROW("overload", run)
