// tcp-accept: echo `size` bytes on each connection, then close it.

#include "tcp_server.h"

static void proceed(struct connection *connection) {
  if (connection->received == connection->server->params->size) {
    connection_close(connection, 0, "");
  } else {
    connection_read(connection);
  }
}

static void on_written(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  if (status < 0) {
    connection_close(connection, status, "uv_write");
  } else {
    proceed(connection);
  }
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  connection->received += count;
  int wrote = connection_write(connection, bytes, count, on_written);
  if (wrote < 0) {
    connection_close(connection, wrote, "uv_write");
  } else if (wrote == 0) {
    uv_read_stop((uv_stream_t *)&connection->handle);
  } else if (connection->received == connection->server->params->size) {
    connection_close(connection, 0, "");
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return tcp_server_run(params, result, (struct tcp_service){.on_bytes = on_bytes});
}

CB_ROW("tcp-accept", run)
