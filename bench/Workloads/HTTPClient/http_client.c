// http-client: GET of a page on so many connections that stay open, with one request under way on each.

#define _GNU_SOURCE
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 65536, HEAD = 1024 };

/// A connection, and the answer that comes on it.
struct asker {
  struct askers *all;
  uv_tcp_t tcp;
  uv_connect_t connect;
  uv_write_t write;
  uint64_t index, started_ns;
  /// Whether its first request was answered, before the window opened.
  int is_warm;
  /// The bytes of a head that isn't complete.
  size_t head_count;
  char head[HEAD];
  /// What the head says, and how much of the body is missing.
  int in_body;
  size_t size, missing;
};

struct askers {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  struct sockaddr_storage address;
  uint64_t issued;
  uint32_t warm;
  struct asker *all;
  char buffer[BUFFER];
};

static void stop(struct askers *all) {
  for (uint32_t i = 0; i < all->params->in_flight; i++) {
    uv_handle_t *handle = (uv_handle_t *)&all->all[i].tcp;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
  }
}

static void failed(struct asker *asker, int error, const char *what) {
  cb_fail(asker->all->result, error, what);
  stop(asker->all);
}

static void on_written(uv_write_t *write, int status) {
  if (status < 0) failed(write->data, status, "uv_write");
}

static void ask(struct asker *asker) {
  asker->started_ns = bench_now_ns();
  uv_buf_t request = uv_buf_init((char *)bench_http_request, BENCH_HTTP_REQUEST);
  int wrote = uv_try_write((uv_stream_t *)&asker->tcp, &request, 1);
  if (wrote == BENCH_HTTP_REQUEST) return;
  if (wrote < 0 && wrote != UV_EAGAIN) {
    failed(asker, wrote, "uv_try_write");
    return;
  }
  size_t part = wrote < 0 ? 0 : (size_t)wrote;
  uv_buf_t rest = uv_buf_init(request.base + part, (unsigned)(BENCH_HTTP_REQUEST - part));
  int error = uv_write(&asker->write, (uv_stream_t *)&asker->tcp, &rest, 1, on_written);
  if (error != 0) failed(asker, error, "uv_write");
}

static void next(struct asker *asker) {
  struct askers *all = asker->all;
  if (all->issued == all->params->operations) return;
  asker->index = all->issued++;
  ask(asker);
}

static void answered(struct asker *asker, char last) {
  struct askers *all = asker->all;
  if (asker->is_warm) {
    bench_latency_record(all->params->latencies, bench_now_ns() - asker->started_ns);
    all->result->checksum += bench_share(asker->index, bench_http_found(200, asker->size, last));
    if (++all->result->operations == all->params->operations) {
      cb_window(all->params, 0);
      stop(all);
    } else {
      next(asker);
    }
    return;
  }
  asker->is_warm = 1;
  if (++all->warm < all->params->in_flight) return;
  cb_window(all->params, 1);
  for (uint32_t i = 0; i < all->params->in_flight; i++) next(&all->all[i]);
}

/// Reads the status and the length. How many bytes the head has; 0 if it isn't complete; -1 if it is another.
static ssize_t take_head(struct asker *asker, const char *bytes, size_t count) {
  static const char status[] = "HTTP/1.1 200 ", length[] = "\r\nContent-Length: ";
  const char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  size_t head = (size_t)(end + 4 - bytes);
  const char *at = memmem(bytes, head, length, sizeof length - 1);
  if (at == NULL || memcmp(bytes, status, sizeof status - 1) != 0) return -1;
  asker->size = strtoul(at + sizeof length - 1, NULL, 10);
  asker->missing = asker->size;
  asker->in_body = 1;
  return (ssize_t)head;
}

static void take(struct asker *asker, const char *bytes, size_t count) {
  if (!asker->in_body) {
    ssize_t head;
    if (asker->head_count > 0) {
      // It came in pieces.
      size_t before = asker->head_count, part = count < HEAD - before ? count : HEAD - before;
      memcpy(asker->head + before, bytes, part);
      asker->head_count += part;
      head = take_head(asker, asker->head, asker->head_count);
      if (head == 0 && part == count) return;
      if (head > 0) head -= (ssize_t)before;
      asker->head_count = 0;
    } else {
      head = take_head(asker, bytes, count);
      if (head == 0 && count < HEAD) {
        memcpy(asker->head, bytes, count);
        asker->head_count = count;
        return;
      }
    }
    if (head <= 0) {
      failed(asker, UV_EPROTO, "http-client");
      return;
    }
    bytes += head;
    count -= (size_t)head;
    if (count == 0) return;
  }
  if (count > asker->missing) {
    failed(asker, UV_EPROTO, "http-client");
    return;
  }
  asker->missing -= count;
  if (asker->missing > 0) return;
  asker->in_body = 0;
  answered(asker, bytes[count - 1]);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct asker *asker = handle->data;
  *buffer = uv_buf_init(asker->all->buffer, BUFFER);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  if (count < 0) failed(stream->data, (int)count, "uv_read_start");
  if (count > 0) take(stream->data, buffer->base, (size_t)count);
}

static void on_connected(uv_connect_t *connect, int status) {
  struct asker *asker = connect->data;
  if (status < 0) {
    failed(asker, status, "uv_tcp_connect");
    return;
  }
  uv_tcp_nodelay(&asker->tcp, 1);
  uv_read_start((uv_stream_t *)&asker->tcp, on_allocate, on_read);
  ask(asker);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  struct askers *all = calloc(1, sizeof *all);
  if (all != NULL) all->all = calloc(params->in_flight, sizeof *all->all);
  if (all == NULL || all->all == NULL) {
    free(all);
    return cb_fail(result, UV_ENOMEM, "http-client");
  }
  all->params = params;
  all->result = result;
  int error = uv_loop_init(&all->loop);
  if (error == 0) error = uv_ip4_addr("127.0.0.1", params->port, (struct sockaddr_in *)&all->address);
  for (uint32_t i = 0; i < params->in_flight; i++) {
    struct asker *asker = &all->all[i];
    asker->all = all;
    asker->tcp.data = asker->connect.data = asker->write.data = asker;
    uv_tcp_init(&all->loop, &asker->tcp);
    if (error == 0) {
      error = uv_tcp_connect(&asker->connect, &asker->tcp, (struct sockaddr *)&all->address, on_connected);
    }
  }
  if (error != 0) {
    cb_fail(result, error, "http-client");
    stop(all);
  }
  error = cb_run_and_close(&all->loop, result);
  free(all->all);
  free(all);
  return error;
}

CB_ROW("http-client", run)
