// tcp-echo and tcp-ping-pong: what is read is written back.

#include "tcp_server.h"

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  connection_answer(connection, bytes, count);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return tcp_server_run(params, result, (struct tcp_service){.on_bytes = on_bytes});
}

CB_ROW("tcp-echo", run)
