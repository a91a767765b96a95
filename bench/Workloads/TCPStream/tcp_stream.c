// tcp-stream: the peer asks with eight bytes (little-endian) for so many writes of
// `size` bytes, and gets them; it may ask again. One write is under way at a time.

#include "tcp_server.h"

#include <stdlib.h>

static void pump(struct connection *connection);

static void on_written(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  if (status < 0) {
    connection_close(connection, status, "uv_write");
  } else {
    pump(connection);
  }
}

static void pump(struct connection *connection) {
  struct tcp_server *server = connection->server;
  while (connection->remaining > 0) {
    connection->remaining--;
    int wrote = connection_write(connection, server->service.payload, server->params->size, on_written);
    if (wrote < 0) connection_close(connection, wrote, "uv_write");
    if (wrote <= 0) return;
  }
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    connection->request[connection->received++ % 8] = (uint8_t)bytes[i];
    if (connection->received % 8 != 0) continue;
    uint64_t writes = 0;
    for (int k = 7; k >= 0; k--) writes = writes << 8 | connection->request[k];
    connection->remaining += writes;
    // A write in the queue goes on by itself.
    if (uv_stream_get_write_queue_size((uv_stream_t *)&connection->handle) == 0) pump(connection);
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  char *payload = malloc(params->size);
  if (payload == NULL) return cb_fail(result, UV_ENOMEM, "payload");
  bench_fill(payload, params->size, params->seed);
  int error = tcp_server_run(params, result, (struct tcp_service){.payload = payload, .answer = params->size, .on_bytes = on_bytes});
  free(payload);
  return error;
}

CB_ROW("tcp-stream", run)
