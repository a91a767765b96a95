// What one side of a connection has sent, and what hasn't arrived yet.

#include "streams.h"

#include <stdlib.h>

static void deliver(struct event *event);

/// Linux resets a connection on which bytes arrive after both directions were shut down here.
static bool refuses_bytes(const struct socket *socket) {
  return socket->family != AF_UNIX && socket->has_shut_reading && socket->has_shut_writing;
}

void flow_arm(struct flow *flow) {
  if (!flow->first || flow->is_full) return;
  struct sim_host *const *hosts = flow->connection->hosts;
  if (link_is_held(hosts[flow->side], hosts[1 - flow->side])) return;
  event_add(&flow->event, flow->first->due > kernel.now ? flow->first->due : kernel.now, deliver);
}

/// What was sent is lost again and again.
static void try_again(struct flow *flow) {
  struct socket *sender = flow->connection->ends[flow->side];
  if (++flow->tries > MOST_TRIES || (!sender && flow->tries > 8)) {
    flow_drop(flow);
    if (sender) connection_break(sender, ETIMEDOUT);
    else connection_check(flow->connection);
    return;
  }
  event_add(&flow->event, kernel.now + flow->timeout, deliver);
  flow->timeout = flow->timeout < 60000000000 ? flow->timeout * 2 : 120000000000;
}

static void deliver(struct event *event) {
  struct flow *flow = (struct flow *)event;
  struct connection *connection = flow->connection;
  struct segment *segment = flow->first;
  int side = 1 - flow->side;
  struct socket *sender = connection->ends[flow->side], *receiver = connection->ends[side];
  if (link_is_held(connection->hosts[flow->side], connection->hosts[side])) return;
  if (flow->tries && connection->hosts[flow->side]->is_paused) {
    // Nobody tries again there now.
    event_add(&flow->event, kernel.now + flow->timeout, deliver);
    return;
  }
  if (link_is_cut(connection->hosts[flow->side], connection->hosts[side])) {
    try_again(flow);
    return;
  }
  flow->tries = 0;
  flow->timeout = FIRST_TIMEOUT;
  bool is_unknown = connection->is_forgotten[side] || (!receiver && segment->size > 0);
  if (is_unknown || (receiver && receiver->state == SOCKET_DEAD)) {
    flow_drop(flow);
    connection_reset(connection, flow->side, true);
    connection_check(connection);
    return;
  }
  if (receiver && segment->size > 0 && refuses_bytes(receiver)) {
    flow_drop(flow);
    connection_reset(connection, flow->side, true);
    connection_break(receiver, ECONNRESET);
    return;
  }
  if (receiver && segment->size > 0 && flow->received.count >= receiver->receive_size) {
    flow->is_full = true;
    return;
  }
  flow->first = segment->next;
  if (!flow->first) flow->last = NULL;
  if (segment->size) buffer_move(&flow->received, &flow->transit, segment->size);
  if (segment->is_end) flow->has_received_end = true;
  trace_arrival(connection->hosts[flow->side], connection->hosts[side], segment->sent, segment->size);
  free(segment);
  flow_arm(flow);
  if (receiver) file_changed(&receiver->file);
  if (sender) file_changed(&sender->file);
  else connection_check(connection);
}

void flow_send(struct flow *flow, const struct iovec *parts, int count, size_t size, bool is_end) {
  struct connection *connection = flow->connection;
  struct sim_host *from = connection->hosts[flow->side], *to = connection->hosts[1 - flow->side];
  struct socket *receiver = connection->ends[1 - flow->side];
  if (from == to && !flow->first && receiver && receiver->state != SOCKET_DEAD &&
      (receiver->family == AF_UNIX || flow->received.count < receiver->receive_size) && !(size && refuses_bytes(receiver))) {
    if (size) buffer_put(&flow->received, parts, count, 0, size);
    if (is_end) flow->has_received_end = true;
    file_changed(&receiver->file);
    return;
  }
  if (size) buffer_put(&flow->transit, parts, count, 0, size);
  do {
    struct segment *segment = calloc(1, sizeof *segment);
    // Sometimes it arrives in parts.
    segment->size = cut_short(link_portion(from, to, size));
    size -= segment->size;
    segment->is_end = is_end && !size;
    segment->sent = kernel.now;
    segment->due = link_arrival(from, to, segment->size);
    if (segment->due < flow->last_due) segment->due = flow->last_due;
    flow->last_due = segment->due;
    if (flow->last) flow->last->next = segment;
    else flow->first = segment;
    flow->last = segment;
  } while (size > 0);
  if (!flow->event.place && !flow->is_full) flow_arm(flow);
}
