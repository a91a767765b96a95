// fan-out: what one connection sends, each gets. Nobody waits for one that doesn't read: above a limit it misses what is said, and
// hears how much that was.

#include "tcp_server.h"

#include <stdlib.h>
#include <string.h>

/// A message, which is in memory once.
struct message {
  uint32_t references;
  char bytes[];
};

/// What the kernel did not take at once.
struct queued {
  uv_write_t write;
  struct connection *connection;
  struct message *message;
};

struct room {
  uint32_t count;
  struct connection *members[];
};

static struct message *message_create(size_t size) {
  struct message *message = calloc(1, sizeof *message + size);
  if (message != NULL) message->references = 1;
  return message;
}

static void message_release(struct message *message) {
  if (--message->references == 0) free(message);
}

static void tell_missed(struct connection *connection);

static void on_written(uv_write_t *write, int status) {
  struct queued *queued = write->data;
  struct connection *connection = queued->connection;
  message_release(queued->message);
  free(queued);
  if (status < 0) {
    connection_close(connection, status, "uv_write");
  } else if (connection->remaining > 0 && uv_stream_get_write_queue_size((uv_stream_t *)&connection->handle) == 0) {
    tell_missed(connection);
  }
}

/// Writes what the kernel takes, and queues the rest. Zero, or a negative error.
static int write_message(struct connection *connection, struct message *message) {
  uv_stream_t *stream = (uv_stream_t *)&connection->handle;
  unsigned size = connection->server->params->size;
  uv_buf_t bytes = uv_buf_init(message->bytes, size);
  int wrote = uv_try_write(stream, &bytes, 1);
  if (wrote == UV_EAGAIN) wrote = 0;
  if (wrote < 0 || wrote == (int)size) return wrote < 0 ? wrote : 0;
  struct queued *queued = malloc(sizeof *queued);
  if (queued == NULL) return UV_ENOMEM;
  message->references++;
  *queued = (struct queued){.write.data = queued, .connection = connection, .message = message};
  bytes = uv_buf_init(message->bytes + wrote, size - (unsigned)wrote);
  return uv_write(&queued->write, stream, &bytes, 1, on_written);
}

static void send_message(struct connection *connection, struct message *message) {
  uv_stream_t *stream = (uv_stream_t *)&connection->handle;
  if (uv_is_closing((uv_handle_t *)stream)) return;
  if (connection->remaining > 0 || uv_stream_get_write_queue_size(stream) > BENCH_FAN_OUT_MARK) {
    connection->remaining++;
    return;
  }
  int error = write_message(connection, message);
  if (error < 0) connection_close(connection, error, "uv_write");
}

static void tell_missed(struct connection *connection) {
  struct message *message = message_create(connection->server->params->size);
  int error = UV_ENOMEM;
  if (message != NULL) {
    uint64_t head = bench_fan_out_notice(connection->remaining);
    memcpy(message->bytes, &head, sizeof head);
    connection->remaining = 0;
    error = write_message(connection, message);
    message_release(message);
  }
  if (error < 0) connection_close(connection, error, "uv_write");
}

static void on_open(struct connection *connection) {
  struct room *room = connection->server->service.state;
  room->members[room->count++] = connection;
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  struct tcp_server *server = connection->server;
  struct room *room = server->service.state;
  size_t size = server->params->size;
  while (count > 0) {
    const char *whole = bytes;
    size_t part = size - connection->received;
    if (part > count) part = count;
    if (part < size) {
      // The message comes in pieces.
      whole = connection_head(connection, size);
      if (whole == NULL) return connection_close(connection, UV_ENOMEM, "fan-out");
      memcpy(connection->head + connection->received, bytes, part);
    }
    bytes += part;
    count -= part;
    connection->received += part;
    if (connection->received < size) return;
    connection->received = 0;
    struct message *message = message_create(size);
    if (message == NULL) return connection_close(connection, UV_ENOMEM, "fan-out");
    memcpy(message->bytes, whole, size);
    for (uint32_t i = 0; i < room->count; i++) send_message(room->members[i], message);
    // Members that miss it get a count.
    server->result->bytes_written += (uint64_t)room->count * size;
    message_release(message);
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  struct room *room = calloc(1, sizeof *room + params->connections * sizeof room->members[0]);
  if (room == NULL) return cb_fail(result, UV_ENOMEM, "fan-out");
  int error = tcp_server_run(
      params, result, (struct tcp_service){.state = room, .on_open = on_open, .on_bytes = on_bytes});
  free(room);
  return error;
}

CB_ROW("fan-out", run)
