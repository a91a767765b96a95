#pragma once

#include "common.h"

enum { READ_BUFFER = 65536 };

/// One accepted connection. A closed one is used again for the next.
struct connection {
  uv_tcp_t handle;
  uv_write_t write;
  struct tcp_server *server;
  struct connection *next_free;
  /// What the kernel did not take at once.
  char *pending;
  /// Bytes received; what they mean is the workload's affair.
  uint64_t received;
  /// tcp-stream: writes that are still to be issued.
  uint64_t remaining;
  uint8_t request[8];
};

/// A listener on 127.0.0.1 with one read buffer for all of its connections. It ends
/// when `cb_params.connections` connections were accepted and all have closed.
struct tcp_server {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  uv_tcp_t listener;
  uint32_t accepted, closed;
  struct connection *free;
  /// Called with what was read; never at the end of the stream.
  void (*on_bytes)(struct connection *connection, char *bytes, size_t count);
  /// tcp-stream: what every write sends.
  char *payload;
  char buffer[READ_BUFFER];
};

/// Serves until the last connection has closed.
int tcp_server_run(
    const struct cb_params *params, struct cb_result *result, char *payload,
    void (*on_bytes)(struct connection *connection, char *bytes, size_t count));

/// Starts reading, or goes on doing so.
void connection_read(struct connection *connection);

/// Closes the connection, noting the error unless it is zero.
void connection_close(struct connection *connection, int error, const char *what);

/// Writes what the kernel takes at once, and queues a copy of the rest. Returns 1
/// when all is written; 0 when `done` will be called later; a negative error.
int connection_write(struct connection *connection, char *bytes, size_t count, uv_write_cb done);
