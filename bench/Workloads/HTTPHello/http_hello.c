// http-hello: requests that are complete are answered together, by one write.

#define _GNU_SOURCE
#include "tcp_server.h"

#include <stdlib.h>
#include <string.h>

/// How many requests end in these bytes; -1 if one isn't what is asked for. A request that isn't complete stays with
/// the connection.
static int take(struct connection *connection, const char *bytes, size_t count) {
  int requests = 0;
  while (count > 0) {
    const char *head = bytes;
    size_t missing = BENCH_HTTP_REQUEST - connection->received;
    if (connection->received > 0 || count < missing) {
      // The head came in pieces.
      size_t part = count < missing ? count : missing;
      if (connection_head(connection, BENCH_HTTP_REQUEST) == NULL) return -1;
      memcpy(connection->head + connection->received, bytes, part);
      connection->received += part;
      bytes += part;
      count -= part;
      if (part < missing) break;
      connection->received = 0;
      head = connection->head;
    } else {
      const char *end = memmem(bytes, count, "\r\n\r\n", 4);
      if (end == NULL) return -1;
      count -= (size_t)(end + 4 - bytes);
      bytes = end + 4;
    }
    if (memcmp(head, bench_http_request, BENCH_HTTP_REQUEST_LINE) != 0) return -1;
    requests++;
  }
  return requests;
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  int requests = take(connection, bytes, count);
  if (requests == 0) return;
  if (requests < 0 || requests > BENCH_HTTP_PIPELINED) {
    connection_close(connection, UV_EPROTO, "http-hello");
    return;
  }
  struct tcp_server *server = connection->server;
  connection_answer(connection, server->service.payload, (size_t)requests * server->service.answer);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  char *answers;
  size_t length = bench_http_answers(params->size, BENCH_HTTP_PIPELINED, &answers);
  int error = UV_ENOMEM;
  if (length == 0) {
    cb_fail(result, error, "http-hello");
  } else {
    error = tcp_server_run(params, result, (struct tcp_service){.payload = answers, .answer = length, .on_bytes = on_bytes});
  }
  free(answers);
  return error;
}

CB_ROW("http-hello", run)
