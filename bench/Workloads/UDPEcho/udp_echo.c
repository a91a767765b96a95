// udp-echo: a datagram is sent back to where it came from. One without bytes says that its sender has ended.

#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 65536 };

struct udp_server {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  uv_udp_t socket;
  uint32_t ended;
  char buffer[LONGEST];
};

/// A datagram that the kernel did not take at once.
struct waiting {
  uv_udp_send_t send;
  char bytes[];
};

static void fail(struct udp_server *server, int error, const char *what) {
  cb_fail(server->result, error, what);
  if (!uv_is_closing((uv_handle_t *)&server->socket)) uv_close((uv_handle_t *)&server->socket, NULL);
}

static void on_sent(uv_udp_send_t *send, int status) {
  if (status < 0) fail(send->handle->data, status, "uv_udp_send");
  free(send->data);
}

static int queue(struct udp_server *server, const char *bytes, size_t count, const struct sockaddr *peer) {
  struct waiting *waiting = malloc(sizeof *waiting + count);
  if (waiting == NULL) return UV_ENOMEM;
  waiting->send.data = waiting;
  memcpy(waiting->bytes, bytes, count);
  uv_buf_t buffer = uv_buf_init(waiting->bytes, (unsigned)count);
  return uv_udp_send(&waiting->send, &server->socket, &buffer, 1, peer, on_sent);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct udp_server *server = handle->data;
  *buffer = uv_buf_init(server->buffer, LONGEST);
}

static void on_datagram(
    uv_udp_t *socket, ssize_t count, const uv_buf_t *buffer, const struct sockaddr *peer, unsigned flags) {
  (void)flags;
  struct udp_server *server = socket->data;
  if (count < 0) return fail(server, (int)count, "uv_udp_recv_start");
  // Nothing has come, which isn't a datagram without bytes.
  if (peer == NULL) return;
  if (count == 0) {
    if (++server->ended == server->params->connections) uv_close((uv_handle_t *)socket, NULL);
    return;
  }
  server->result->bytes_read += (uint64_t)count;
  server->result->bytes_written += (uint64_t)count;
  uv_buf_t bytes = uv_buf_init(buffer->base, (unsigned)count);
  int sent = uv_udp_try_send(socket, &bytes, 1, peer);
  if (sent == UV_EAGAIN) sent = queue(server, bytes.base, bytes.len, peer);
  if (sent < 0) fail(server, sent, "uv_udp_try_send");
}

static int bind_socket(struct udp_server *server) {
  struct sockaddr_storage name;
  int length = sizeof name;
  cb_address(server->params, &name);
  int error = uv_udp_bind(&server->socket, (struct sockaddr *)&name, 0);
  if (error == 0) error = uv_udp_getsockname(&server->socket, (struct sockaddr *)&name, &length);
  if (error == 0) error = uv_udp_recv_start(&server->socket, on_allocate, on_datagram);
  if (error == 0) server->params->listening(server->params->context, cb_port(&name));
  return error;
}

static int run(const struct cb_params *params, struct cb_result *result) {
  struct udp_server *server = calloc(1, sizeof *server);
  int error = server == NULL ? UV_ENOMEM : uv_loop_init(&server->loop);
  if (error != 0) {
    free(server);
    return cb_fail(result, error, "uv_loop_init");
  }
  server->params = params;
  server->result = result;
  uv_udp_init(&server->loop, &server->socket);
  server->socket.data = server;
  error = bind_socket(server);
  if (error != 0) fail(server, error, "uv_udp_bind");
  error = cb_run_and_close(&server->loop, result);
  free(server);
  return error;
}

CB_ROW("udp-echo", run)
