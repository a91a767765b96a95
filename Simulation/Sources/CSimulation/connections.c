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
};

static void reset_arrives(struct event *event) {
  struct reset *reset = (struct reset *)event;
  // The socket may have gone meanwhile.
  for (struct connection *connection = connections; connection; connection = connection->next) {
    if (connection != reset->connection) continue;
    struct socket *socket = connection->ends[reset->side];
    if (!socket || socket->file.number != reset->number || socket->state == SOCKET_DEAD) break;
    if (link_is_cut(connection->hosts[1 - reset->side], socket->host)) break;
    connection_break(socket, incoming(socket)->has_received_end ? EPIPE : ECONNRESET);
    break;
  }
  free(reset);
}

/// Tells one side that the other one knows nothing of the connection.
void connection_reset(struct connection *connection, int side) {
  struct socket *socket = connection->ends[side];
  if (!socket) return;
  struct sim_host *from = connection->hosts[1 - side];
  struct reset *reset = calloc(1, sizeof *reset);
  *reset = (struct reset){.connection = connection, .side = side, .number = socket->file.number};
  event_add(&reset->event, kernel.now + link_latency(from, socket->host), reset_arrives);
}

void tcp_release(void) {
  for (struct connection *connection = connections; connection; connection = connection->next) {
    for (int side = 0; side < 2; side++) {
      if (!connection->flows[side].event.place) flow_arm(&connection->flows[side]);
    }
  }
}
