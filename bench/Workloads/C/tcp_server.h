#pragma once

#include "common.h"

enum { READ_BUFFER = 65536 };

/// A socket of TCP, or of the Unix domain.
union socket {
  uv_handle_t any;
  uv_tcp_t tcp;
  uv_pipe_t pipe;
};

/// What the kernel did not take at once.
struct pending {
  uv_write_t write;
  char bytes[];
};

/// One accepted connection. A closed one is used again for the next.
struct connection {
  union socket handle;
  struct tcp_server *server;
  struct connection *next_free;
  /// Made when it is first needed.
  struct pending *pending;
  /// Bytes received; what they mean is the workload's affair.
  uint64_t received;
  /// tcp-stream: writes that are still to be issued. fan-out: messages that were missed.
  uint64_t remaining;
  uint8_t request[8];
  /// http-hello, overload, resp-get-set, fan-out: a request that comes in pieces; made when the first one does.
  char *head;
  /// TLS: OpenSSL's connection.
  struct ssl_st *ssl;
};

/// What a workload does on the connections of a listener.
struct tcp_service {
  /// tcp-stream: what every write sends. http-hello: answers, one after the other, and the bytes in one.
  char *payload;
  size_t answer;
  /// What the workload keeps for all connections.
  void *state;
  /// Called with each connection, if it isn't null.
  void (*on_open)(struct connection *connection);
  /// Called with what was read; never at the end of the stream.
  void (*on_bytes)(struct connection *connection, char *bytes, size_t count);
};

/// A listener at `cb_params.host`, or at `cb_params.path`, with one read buffer for all of its connections. It ends
/// when `cb_params.connections` connections were accepted and all have closed.
struct tcp_server {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  union socket listener;
  uint32_t accepted, closed;
  /// overload: jobs under way.
  uint32_t jobs;
  struct connection *free;
  struct tcp_service service;
  /// TLS: what all connections share; null without it.
  struct tls_server *tls;
  char buffer[READ_BUFFER];
};

/// Serves until the last connection has closed.
int tcp_server_run(const struct cb_params *params, struct cb_result *result, struct tcp_service service);

/// Where there is room for a request of `size` bytes that comes in pieces; null without memory.
char *connection_head(struct connection *connection, size_t size);

/// Starts reading, or goes on doing so.
void connection_read(struct connection *connection);

/// Closes the connection, noting the error unless it is zero.
void connection_close(struct connection *connection, int error, const char *what);

/// Writes what the kernel takes at once, and queues a copy of the rest. Returns 1
/// when all is written; 0 when `done` will be called later; a negative error.
int connection_write(struct connection *connection, char *bytes, size_t count, uv_write_cb done);

/// Does the same, and reads nothing more until all is written. An error closes the connection.
void connection_answer(struct connection *connection, char *bytes, size_t count);

// TLS. These are called by the functions above, if `cb_params.identity` is set.

/// Null if the identity cannot be read.
struct tls_server *tls_server_create(const char *identity);
void tls_server_destroy(struct tls_server *tls);

/// Prepares a connection that was accepted. Zero, or a negative error.
int tls_accept(struct connection *connection);

/// Takes what came, does the handshake, and hands over what was decrypted.
void tls_received(struct connection *connection, const char *bytes, size_t count);

/// Encrypts. The bytes are in a buffer of the loop's.
uv_buf_t tls_seal(struct connection *connection, const char *bytes, size_t count);

/// Sends the sign of the end, and releases what OpenSSL keeps for the connection.
void tls_end(struct connection *connection);
