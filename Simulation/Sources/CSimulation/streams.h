/// Streams between two sockets: what the parts of TCP know of each other.
#pragma once

#include "network.h"

enum { FIRST_TIMEOUT = 200000000, MOST_TRIES = 15 };

/// Bytes that arrive at one moment.
struct segment {
  struct segment *next;
  uint64_t sent, due;
  size_t size;
  bool is_end;
};

/// What one side sends to the other.
struct flow {
  struct event event;
  struct connection *connection;
  /// The sender's.
  int side;
  /// What has been sent and hasn't arrived, and what has arrived and hasn't been read.
  struct buffer transit, received;
  struct segment *first, *last;
  uint64_t last_due, timeout;
  /// How many bytes have been sent, and read.
  uint64_t sent_count, taken_count;
  int tries;
  bool has_sent_end, has_received_end, is_full, is_over;
};

struct connection {
  struct connection *next, *previous;
  struct socket *ends[2];
  struct sim_host *hosts[2];
  /// The side's host has forgotten it in a crash.
  bool is_forgotten[2];
  struct flow flows[2];
};

/// The client refuses an answer if it has been closed meanwhile.
enum stage { REQUEST, ANSWER, ACKNOWLEDGEMENT, REFUSAL, CLIENT_REFUSAL };

struct handshake {
  struct event event;
  struct handshake *next;
  enum stage stage;
  int tries;
  struct sim_host *client_host, *server_host;
  /// Null once it has been closed.
  struct socket *client, *child;
};

static inline struct flow *outgoing(struct socket *socket) { return &socket->connection->flows[socket->side]; }
static inline struct flow *incoming(struct socket *socket) { return &socket->connection->flows[1 - socket->side]; }

/// Drops what is under way.
void flow_drop(struct flow *flow);
/// Sends bytes that the socket has room for, or the end of them.
void flow_send(struct flow *flow, const struct iovec *parts, int count, size_t size, bool is_end);
/// Has the first segment arrive when it is due.
void flow_arm(struct flow *flow);
/// Frees a connection that nobody refers to, and on which nothing is under way.
void connection_check(struct connection *connection);
/// The socket's peer has given the connection up, or doesn't know it.
void connection_break(struct socket *socket, int error);
/// Notifies one side that the other one knows nothing of the connection.
/// Notifies one side that the other one knows nothing of the connection. An answer to bytes is given again if it is lost, because
/// these are sent again.
void connection_reset(struct connection *connection, int side, bool is_answer);
void handshakes_free_all(void);
