// Connections of two sockets, and their ends.

#include "streams.h"

#include <stdlib.h>

static struct connection *connections;

struct socket *tcp_peer(struct socket *socket) {
  return socket->connection ? socket->connection->ends[1 - socket->side] : NULL;
}

void tcp_pair(struct socket *one, struct socket *two) {
  struct connection *connection = calloc(1, sizeof *connection);
  struct socket *ends[2] = {one, two};
  for (int side = 0; side < 2; side++) {
    connection->ends[side] = ends[side];
    connection->hosts[side] = ends[side]->host;
    connection->flows[side].connection = connection;
    connection->flows[side].side = side;
    connection->flows[side].timeout = FIRST_TIMEOUT;
    ends[side]->connection = connection;
    ends[side]->side = side;
  }
  connection->next = connections;
  if (connections) connections->previous = connection;
  connections = connection;
}

void flow_drop(struct flow *flow) {
  event_remove(&flow->event);
  while (flow->first) {
    struct segment *segment = flow->first;
    flow->first = segment->next;
    free(segment);
  }
  flow->last = NULL;
  flow->is_full = false;
  buffer_free(&flow->transit);
}

static void connection_free(struct connection *connection) {
  for (int side = 0; side < 2; side++) {
    flow_drop(&connection->flows[side]);
    buffer_free(&connection->flows[side].received);
  }
  if (connection->previous) connection->previous->next = connection->next;
  else connections = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  free(connection);
}

/// Frees a connection that nobody refers to, and on which nothing is under way.
void connection_check(struct connection *connection) {
  if (connection->ends[0] || connection->ends[1]) return;
  if (connection->flows[0].first || connection->flows[1].first) return;
  connection_free(connection);
}

void tcp_free_all(void) {
  handshakes_free_all();
  while (connections) connection_free(connections);
}

/// The socket's peer has given the connection up, or doesn't know it.
void connection_break(struct socket *socket, int error) {
  socket->error = error;
  socket->state = SOCKET_DEAD;
  flow_drop(outgoing(socket));
  outgoing(socket)->is_over = true;
  incoming(socket)->is_over = true;
  trace_call(CALL_reset, -1, -error, socket->file.number);
  file_changed(&socket->file);
}

struct reset {
  struct event event;
  struct connection *connection;
  int side;
  uint64_t number;
  /// How long until it is sent again; 0 if it is sent once.
  uint64_t timeout;
  int tries;
};

static void reset_arrives(struct event *event) {
  struct reset *reset = (struct reset *)event;
  // The socket may have gone meanwhile.
  for (struct connection *connection = connections; connection; connection = connection->next) {
    if (connection != reset->connection) continue;
    struct socket *socket = connection->ends[reset->side];
    if (!socket || socket->file.number != reset->number || socket->state == SOCKET_DEAD) break;
    struct sim_host *from = connection->hosts[1 - reset->side];
    if (link_is_cut(from, socket->host) || (reset->tries && link_is_cut(socket->host, from))) {
      if (!reset->timeout) break;
      // What it answers is sent again, and answered again; by a host that runs.
      if (!socket->host->is_paused) {
        if (++reset->tries > MOST_TRIES) {
          connection_break(socket, ETIMEDOUT);
          break;
        }
        if (reset->timeout < 60000000000) reset->timeout *= 2;
      }
      event_add(&reset->event, kernel.now + reset->timeout, reset_arrives);
      return;
    }
    connection_break(socket, incoming(socket)->has_received_end ? EPIPE : ECONNRESET);
    break;
  }
  free(reset);
}

void connection_reset(struct connection *connection, int side, bool is_answer) {
  struct socket *socket = connection->ends[side];
  if (!socket) return;
  struct sim_host *from = connection->hosts[1 - side];
  struct reset *reset = calloc(1, sizeof *reset);
  *reset = (struct reset){.connection = connection, .side = side, .number = socket->file.number};
  if (is_answer) reset->timeout = FIRST_TIMEOUT;
  event_add(&reset->event, kernel.now + link_latency(from, socket->host), reset_arrives);
}

void tcp_release(void) {
  for (struct connection *connection = connections; connection; connection = connection->next) {
    for (int side = 0; side < 2; side++) {
      if (!connection->flows[side].event.place) flow_arm(&connection->flows[side]);
    }
  }
}
