#include "tcp_server.h"

#include <stdlib.h>
#include <string.h>

static void on_closed(uv_handle_t *handle) {
  struct connection *connection = handle->data;
  struct tcp_server *server = connection->server;
  connection->next_free = server->free;
  server->free = connection;
  if (++server->closed == server->params->connections) {
    server->params->closed(server->params->context);
    uv_close((uv_handle_t *)&server->listener, NULL);
  }
}

void connection_close(struct connection *connection, int error, const char *what) {
  if (error != 0) cb_fail(connection->server->result, error, what);
  if (!uv_is_closing((uv_handle_t *)&connection->handle)) {
    tls_end(connection);
    uv_close((uv_handle_t *)&connection->handle, on_closed);
  }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct connection *connection = handle->data;
  *buffer = uv_buf_init(connection->server->buffer, READ_BUFFER);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct connection *connection = stream->data;
  if (count > 0 && connection->ssl != NULL) {
    tls_received(connection, buffer->base, (size_t)count);
  } else if (count > 0) {
    connection->server->result->bytes_read += (uint64_t)count;
    connection->server->service.on_bytes(connection, buffer->base, (size_t)count);
  } else if (count < 0) {
    connection_close(connection, count == UV_EOF ? 0 : (int)count, "uv_read_start");
  }
}

void connection_read(struct connection *connection) {
  uv_read_start((uv_stream_t *)&connection->handle, on_allocate, on_read);
}

int connection_write(struct connection *connection, char *bytes, size_t count, uv_write_cb done) {
  connection->server->result->bytes_written += count;
  uv_buf_t whole = connection->ssl == NULL ? uv_buf_init(bytes, (unsigned)count) : tls_seal(connection, bytes, count);
  int wrote = uv_try_write((uv_stream_t *)&connection->handle, &whole, 1);
  if (wrote == UV_EAGAIN) wrote = 0;
  if (wrote < 0) return wrote;
  if ((size_t)wrote == whole.len) return 1;
  size_t rest = whole.len - (size_t)wrote;
  char *from = whole.base + wrote;
  // The read buffer is shared: the next read would overwrite what is queued.
  int copies = connection->server->service.payload == NULL;
  if (connection->pending == NULL) {
    size_t capacity = !copies ? 0 : connection->ssl == NULL ? READ_BUFFER : 4 * READ_BUFFER;
    connection->pending = malloc(sizeof *connection->pending + capacity);
    if (connection->pending == NULL) return UV_ENOMEM;
  }
  if (copies) from = memcpy(connection->pending->bytes, from, rest);
  uv_buf_t queued = uv_buf_init(from, (unsigned)rest);
  connection->pending->write.data = connection;
  return uv_write(&connection->pending->write, (uv_stream_t *)&connection->handle, &queued, 1, done);
}

char *connection_head(struct connection *connection, size_t size) {
  if (connection->head == NULL) connection->head = malloc(size);
  return connection->head;
}

static void socket_init(struct tcp_server *server, union socket *socket) {
  if (server->params->path != NULL) {
    uv_pipe_init(&server->loop, &socket->pipe, 0);
  } else {
    uv_tcp_init(&server->loop, &socket->tcp);
  }
}

static void on_answered(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  if (status < 0) {
    connection_close(connection, status, "uv_write");
  } else {
    connection_read(connection);
  }
}

void connection_answer(struct connection *connection, char *bytes, size_t count) {
  int wrote = connection_write(connection, bytes, count, on_answered);
  if (wrote < 0) {
    connection_close(connection, wrote, "uv_write");
  } else if (wrote == 0) {
    uv_read_stop((uv_stream_t *)&connection->handle);
  }
}

static void on_connection(uv_stream_t *listener, int status) {
  struct tcp_server *server = listener->data;
  if (status < 0) {
    cb_fail(server->result, status, "uv_listen");
    return;
  }
  struct connection *connection = server->free;
  if (connection != NULL) {
    server->free = connection->next_free;
  } else {
    connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
      cb_fail(server->result, UV_ENOMEM, "accept");
      return;
    }
  }
  connection->server = server;
  connection->received = 0;
  connection->remaining = 0;
  socket_init(server, &connection->handle);
  connection->handle.any.data = connection;
  server->accepted++;
  int error = uv_accept(listener, (uv_stream_t *)&connection->handle);
  if (error == 0 && server->params->path == NULL) error = uv_tcp_nodelay(&connection->handle.tcp, 1);
  if (error == 0 && server->tls != NULL) error = tls_accept(connection);
  if (error != 0) {
    connection_close(connection, error, "uv_accept");
  } else {
    if (server->service.on_open != NULL) server->service.on_open(connection);
    connection_read(connection);
  }
}

static int listen_for_peers(struct tcp_server *server) {
  const char *path = server->params->path;
  struct sockaddr_storage name = {0};
  int length = sizeof name;
  if (path == NULL) cb_address(server->params, &name);
  int error = path != NULL ? uv_pipe_bind(&server->listener.pipe, path)
                           : uv_tcp_bind(&server->listener.tcp, (struct sockaddr *)&name, 0);
  if (error == 0) error = uv_listen((uv_stream_t *)&server->listener, 1024, on_connection);
  if (error == 0 && path == NULL) {
    error = uv_tcp_getsockname(&server->listener.tcp, (struct sockaddr *)&name, &length);
  }
  if (error == 0) server->params->listening(server->params->context, path == NULL ? cb_port(&name) : 0);
  return error;
}

int tcp_server_run(const struct cb_params *params, struct cb_result *result, struct tcp_service service) {
  struct tcp_server *server = calloc(1, sizeof *server);
  int error = server == NULL ? UV_ENOMEM : uv_loop_init(&server->loop);
  if (error != 0) {
    free(server);
    return cb_fail(result, error, "uv_loop_init");
  }
  server->params = params;
  server->result = result;
  server->service = service;
  server->tls = params->identity == NULL ? NULL : tls_server_create(params->identity);
  socket_init(server, &server->listener);
  server->listener.any.data = server;
  error = params->identity != NULL && server->tls == NULL ? UV_EPROTO : listen_for_peers(server);
  if (error != 0) {
    cb_fail(result, error, "listen");
    uv_close((uv_handle_t *)&server->listener, NULL);
  }
  error = cb_run_and_close(&server->loop, result);
  while (server->free != NULL) {
    struct connection *connection = server->free;
    server->free = connection->next_free;
    free(connection->pending);
    free(connection->head);
    free(connection);
  }
  if (server->tls != NULL) tls_server_destroy(server->tls);
  free(server);
  return error;
}
