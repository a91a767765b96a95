// tcp-echo and tcp-ping-pong: what is read is written back.

#include "tcp_server.h"

static void on_written(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  if (status < 0) {
    connection_close(connection, status, "uv_write");
  } else {
    connection_read(connection);
  }
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  int wrote = connection_write(connection, bytes, count, on_written);
  if (wrote < 0) {
    connection_close(connection, wrote, "uv_write");
  } else if (wrote == 0) {
    uv_read_stop((uv_stream_t *)&connection->handle);
  }
}

int cb_tcp_echo_run(const struct cb_params *params, struct cb_result *result) {
  return tcp_server_run(params, result, NULL, 0, on_bytes);
}
