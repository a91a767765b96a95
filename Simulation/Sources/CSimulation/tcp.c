// Streams between two sockets: TCP, and those of the Unix domain.

#include "network.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST_TIMEOUT = 200000000, MOST_TRIES = 15 };

/// Bytes that arrive at one moment.
struct segment {
  struct segment *next;
  uint64_t due;
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

static struct connection *connections;

static struct flow *outgoing(struct socket *socket) { return &socket->connection->flows[socket->side]; }
static struct flow *incoming(struct socket *socket) { return &socket->connection->flows[1 - socket->side]; }

// MARK: Connections

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

static void flow_drop(struct flow *flow) {
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
static void connection_check(struct connection *connection) {
  if (connection->ends[0] || connection->ends[1]) return;
  if (connection->flows[0].first || connection->flows[1].first) return;
  connection_free(connection);
}

void tcp_free_all(void) {
  while (connections) connection_free(connections);
}

/// The socket's peer has given the connection up, or doesn't know it.
static void break_off(struct socket *socket, int error) {
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
    break_off(socket, incoming(socket)->has_received_end ? EPIPE : ECONNRESET);
    break;
  }
  free(reset);
}

/// Tells one side that the other one knows nothing of the connection.
static void send_reset(struct connection *connection, int side) {
  struct socket *socket = connection->ends[side];
  if (!socket) return;
  struct sim_host *from = connection->hosts[1 - side];
  struct reset *reset = calloc(1, sizeof *reset);
  *reset = (struct reset){.connection = connection, .side = side, .number = socket->file.number};
  event_add(&reset->event, kernel.now + link_latency(from, socket->host), reset_arrives);
}

// MARK: What is under way

static void deliver(struct event *event);

static void arm(struct flow *flow) {
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
    if (sender) break_off(sender, ETIMEDOUT);
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
  if (link_is_cut(connection->hosts[flow->side], connection->hosts[side])) {
    try_again(flow);
    return;
  }
  flow->tries = 0;
  flow->timeout = FIRST_TIMEOUT;
  bool is_unknown = connection->is_forgotten[side] || (!receiver && segment->size > 0);
  if (is_unknown || (receiver && receiver->state == SOCKET_DEAD)) {
    flow_drop(flow);
    send_reset(connection, flow->side);
    connection_check(connection);
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
  trace_call(CALL_deliver, -1, (int64_t)segment->size, receiver ? receiver->file.number : 0);
  free(segment);
  arm(flow);
  if (receiver) file_changed(&receiver->file);
  if (sender) file_changed(&sender->file);
  else connection_check(connection);
}

/// Sends bytes that the socket has room for, or the end of them.
static void flow_send(struct flow *flow, const struct iovec *parts, int count, size_t size, bool is_end) {
  struct connection *connection = flow->connection;
  struct sim_host *from = connection->hosts[flow->side], *to = connection->hosts[1 - flow->side];
  struct socket *receiver = connection->ends[1 - flow->side];
  if (from == to && !flow->first && receiver && receiver->state != SOCKET_DEAD &&
      flow->received.count < receiver->receive_size) {
    if (size) buffer_put(&flow->received, parts, count, 0, size);
    if (is_end) flow->has_received_end = true;
    file_changed(&receiver->file);
    return;
  }
  if (size) buffer_put(&flow->transit, parts, count, 0, size);
  do {
    struct segment *segment = calloc(1, sizeof *segment);
    // Sometimes it arrives in parts.
    segment->size = cut_short(size);
    size -= segment->size;
    segment->is_end = is_end && !size;
    segment->due = kernel.now + link_latency(from, to);
    if (segment->due < flow->last_due) segment->due = flow->last_due;
    flow->last_due = segment->due;
    if (flow->last) flow->last->next = segment;
    else flow->first = segment;
    flow->last = segment;
  } while (size > 0);
  if (!flow->event.place && !flow->is_full) arm(flow);
}

void tcp_release(void) {
  for (struct connection *connection = connections; connection; connection = connection->next) {
    for (int side = 0; side < 2; side++) {
      if (!connection->flows[side].event.place) arm(&connection->flows[side]);
    }
  }
}

// MARK: Calls

static bool has_ended(struct socket *socket) {
  return socket->has_shut_reading || (socket->connection && incoming(socket)->has_received_end);
}

static size_t room(struct socket *socket) {
  size_t used = outgoing(socket)->transit.count;
  return used < socket->send_size ? socket->send_size - used : 0;
}

static uint32_t tcp_poll(struct file *file) {
  struct socket *socket = (struct socket *)file;
  uint32_t mask = socket->error ? EPOLLERR : 0;
  switch (socket->state) {
    case SOCKET_LISTENING: return mask | (socket->first_pending ? EPOLLIN | EPOLLRDNORM : 0);
    case SOCKET_CONNECTING: return mask;
    case SOCKET_NEW: return mask | EPOLLOUT | EPOLLHUP;
    case SOCKET_DEAD: return mask | EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLHUP | EPOLLRDHUP;
    case SOCKET_CONNECTED: break;
  }
  if (has_ended(socket)) mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
  if (has_ended(socket) && socket->has_shut_writing) mask |= EPOLLHUP;
  if (incoming(socket)->received.count) mask |= EPOLLIN | EPOLLRDNORM;
  if (socket->has_shut_writing || room(socket) * 3 >= socket->send_size) mask |= EPOLLOUT | EPOLLWRNORM;
  return mask;
}

static ssize_t take(struct socket *socket, const struct iovec *parts, int count, bool peeks) {
  if (socket->state == SOCKET_CONNECTING) return -EAGAIN;
  if (!socket->connection) {
    if (socket->error) {
      int error = socket->error;
      socket->error = 0;
      return -error;
    }
    return -ENOTCONN;
  }
  struct flow *flow = incoming(socket);
  size_t size = parts_size(parts, count);
  if (size > flow->received.count) size = flow->received.count;
  if (size) {
    if (!peeks) size = cut_short(size);
    buffer_copy(&flow->received, 0, parts, count, size);
    if (peeks) return (ssize_t)size;
    buffer_drop(&flow->received, size);
    if (flow->is_full && flow->received.count <= socket->receive_size / 2) {
      // The sender learns of the room, and what it sends then takes as long again.
      flow->is_full = false;
      struct sim_host *own = socket->host, *other = flow->connection->hosts[flow->side];
      flow->first->due = kernel.now + link_latency(own, other) + link_latency(other, own);
      arm(flow);
    }
    return (ssize_t)size;
  }
  if (socket->error) {
    int error = socket->error;
    socket->error = 0;
    return -error;
  }
  if (socket->state == SOCKET_DEAD || has_ended(socket) || !parts_size(parts, count)) return 0;
  return -EAGAIN;
}

static ssize_t tcp_read(struct file *file, const struct iovec *parts, int count) {
  return take((struct socket *)file, parts, count, false);
}

ssize_t tcp_peek(struct socket *socket, const struct iovec *parts, int count) {
  return take(socket, parts, count, true);
}

static ssize_t tcp_write(struct file *file, const struct iovec *parts, int count) {
  struct socket *socket = (struct socket *)file;
  if (socket->error) {
    int error = socket->error;
    socket->error = 0;
    return -error;
  }
  if (socket->state == SOCKET_CONNECTING) return -EAGAIN;
  if (!socket->connection) return socket->state == SOCKET_DEAD ? -EPIPE : -ENOTCONN;
  if (socket->has_shut_writing || socket->state == SOCKET_DEAD) return -EPIPE;
  if (socket->family == AF_UNIX && !socket->connection->ends[1 - socket->side]) return -EPIPE;
  size_t size = parts_size(parts, count);
  if (!size) return 0;
  if (!room(socket)) return -EAGAIN;
  if (size > room(socket)) size = room(socket);
  size = cut_short(size);
  flow_send(outgoing(socket), parts, count, size, false);
  return (ssize_t)size;
}

static int tcp_readable(struct file *file) {
  struct socket *socket = (struct socket *)file;
  return socket->connection ? (int)incoming(socket)->received.count : 0;
}

int tcp_shutdown(struct socket *socket, int how) {
  if (socket->state != SOCKET_CONNECTED) return -ENOTCONN;
  if (how != SHUT_WR) socket->has_shut_reading = true;
  if (how != SHUT_RD && !socket->has_shut_writing) {
    socket->has_shut_writing = outgoing(socket)->has_sent_end = true;
    flow_send(outgoing(socket), NULL, 0, 0, true);
  }
  file_changed(&socket->file);
  return 0;
}

/// Takes the socket from its connection. A close is told to the peer; after a crash, nothing is.
static void leave(struct socket *socket, bool tells) {
  struct connection *connection = socket->connection;
  if (!connection) return;
  struct flow *in = incoming(socket), *out = outgoing(socket);
  struct socket *peer = connection->ends[1 - socket->side];
  bool resets = socket->resets_on_close || in->received.count > 0;
  connection->ends[socket->side] = NULL;
  socket->connection = NULL;
  if (!tells) {
    connection->is_forgotten[socket->side] = true;
    flow_drop(out);
  } else if (socket->state == SOCKET_CONNECTED && socket->family == AF_UNIX && peer) {
    // The peer learns of it at once. It loses what it has sent.
    if (in->received.count > 0) peer->error = ECONNRESET;
    out->has_received_end = true;
    file_changed(&peer->file);
  } else if (socket->state == SOCKET_CONNECTING || (socket->state == SOCKET_CONNECTED && resets)) {
    flow_drop(out);
    send_reset(connection, 1 - socket->side);
  } else if (socket->state == SOCKET_CONNECTED && !socket->has_shut_writing) {
    flow_send(out, NULL, 0, 0, true);
  }
  // What waits for room finds that nobody reads.
  if (in->is_full) {
    in->is_full = false;
    arm(in);
  }
  connection_check(connection);
}

// MARK: Making connections

enum stage { REQUEST, ANSWER, ACKNOWLEDGEMENT, REFUSAL };

struct handshake {
  struct event event;
  struct handshake *next;
  enum stage stage;
  int tries;
  struct sim_host *client_host, *server_host;
  /// Null once it has been closed.
  struct socket *client, *child;
};

static struct handshake *handshakes;

static void step(struct event *event);

static void handshake_end(struct handshake *handshake) {
  struct handshake **place = &handshakes;
  while (*place != handshake) place = &(*place)->next;
  *place = handshake->next;
  event_remove(&handshake->event);
  if (handshake->client) handshake->client->handshake = NULL;
  if (handshake->child) handshake->child->handshake = NULL;
  free(handshake);
}

static void fail_connect(struct handshake *handshake, int error) {
  struct socket *client = handshake->client;
  handshake_end(handshake);
  if (!client) return;
  client->error = error;
  client->state = SOCKET_NEW;
  trace_call(CALL_connected, -1, -error, client->file.number);
  file_changed(&client->file);
}

static void next_stage(struct handshake *handshake, enum stage stage) {
  bool is_from_client = stage == REQUEST || stage == ACKNOWLEDGEMENT;
  struct sim_host *from = is_from_client ? handshake->client_host : handshake->server_host;
  struct sim_host *to = is_from_client ? handshake->server_host : handshake->client_host;
  handshake->stage = stage;
  event_add(&handshake->event, kernel.now + (to ? link_latency(from, to) : 0), step);
}

static struct socket *find_listener(struct sim_host *host, const union address *target) {
  struct socket *found[64];
  int count = 0;
  for (struct socket *socket = host->sockets; socket; socket = socket->next_of_host) {
    if (socket->state != SOCKET_LISTENING || socket->family == AF_UNIX) continue;
    if (address_port(&socket->local) != address_port(target)) continue;
    if (!address_matches(&socket->local, target, socket->only_six)) continue;
    if (count < 64) found[count++] = socket;
  }
  if (!count) return NULL;
  return found[count == 1 ? 0 : draw_below(&kernel.draws[DRAW_NETWORK], (uint64_t)count)];
}

static struct socket *make_child(struct socket *listener, struct socket *client) {
  struct socket *child = socket_make(listener->host, listener->family, SOCK_STREAM, 0);
  child->is_bound = true;
  child->local = client->remote;
  child->remote = client->local;
  if (listener->family == AF_UNIX) child->local = listener->local;
  child->state = SOCKET_CONNECTED;
  child->send_size = listener->send_size;
  child->receive_size = listener->receive_size;
  child->listener = listener;
  listener->pending_count++;
  tcp_pair(client, child);
  return child;
}

static void put_pending(struct socket *child) {
  struct socket *listener = child->listener;
  if (listener->last_pending) listener->last_pending->next_pending = child;
  else listener->first_pending = child;
  listener->last_pending = child;
  file_changed(&listener->file);
}

static void step(struct event *event) {
  struct handshake *handshake = (struct handshake *)event;
  bool is_from_client = handshake->stage == REQUEST || handshake->stage == ACKNOWLEDGEMENT;
  struct sim_host *from = is_from_client ? handshake->client_host : handshake->server_host;
  struct sim_host *to = is_from_client ? handshake->server_host : handshake->client_host;
  struct socket *client = handshake->client, *child = handshake->child;
  struct socket *listener = NULL;
  bool is_lost = !to || link_is_cut(from, to) || link_is_held(from, to);
  if (!is_lost && handshake->stage == REQUEST && client) {
    listener = find_listener(to, &client->remote);
    is_lost = listener && listener->pending_count > listener->backlog;
  }
  if (is_lost) {
    // Linux tries six times again, in two minutes.
    if (++handshake->tries > 6) fail_connect(handshake, ETIMEDOUT);
    else event_add(event, kernel.now + (1000000000ull << (handshake->tries - 1)), step);
    return;
  }
  switch (handshake->stage) {
    case REQUEST:
      if (!client) {
        handshake_end(handshake);
      } else if (!listener) {
        next_stage(handshake, REFUSAL);
      } else {
        handshake->child = make_child(listener, client);
        handshake->child->handshake = handshake;
        next_stage(handshake, ANSWER);
      }
      break;
    case REFUSAL: fail_connect(handshake, ECONNREFUSED); break;
    case ANSWER:
      if (client && !child) {
        // The server has gone meanwhile.
        fail_connect(handshake, ECONNRESET);
        break;
      }
      if (client) {
        client->state = SOCKET_CONNECTED;
        client->handshake = NULL;
        handshake->client = NULL;
        trace_call(CALL_connected, -1, 0, client->file.number);
        file_changed(&client->file);
      }
      next_stage(handshake, ACKNOWLEDGEMENT);
      break;
    case ACKNOWLEDGEMENT:
      handshake_end(handshake);
      if (child) put_pending(child);
      break;
  }
}

int tcp_connect(struct socket *socket, const union address *address) {
  if (socket->state == SOCKET_CONNECTING) return -EALREADY;
  if (socket->state == SOCKET_LISTENING || socket->connection) return -EISCONN;
  if (socket->error) {
    int error = socket->error;
    socket->error = 0;
    return -error;
  }
  socket->remote = *address;
  // Whoever connects to the unspecified address means this host.
  if (address_is_any(address)) {
    socket->remote = address_own(socket->host, address);
    address_set_port(&socket->remote, address_port(address));
  }
  int code = socket_bind_any(socket, &socket->remote);
  if (code < 0) return code;
  struct handshake *handshake = calloc(1, sizeof *handshake);
  handshake->client = socket;
  handshake->client_host = socket->host;
  handshake->server_host = address_host(&socket->remote, socket->host);
  handshake->next = handshakes;
  handshakes = handshake;
  socket->handshake = handshake;
  socket->state = SOCKET_CONNECTING;
  next_stage(handshake, REQUEST);
  return -EINPROGRESS;
}

int local_connect(struct socket *socket, struct socket *listener) {
  if (socket->connection) return -EISCONN;
  if (listener->state != SOCKET_LISTENING) return -ECONNREFUSED;
  if (listener->pending_count > listener->backlog) return -EAGAIN;
  socket->remote = listener->local;
  socket->local.any.sa_family = AF_UNIX;
  socket->state = SOCKET_CONNECTED;
  put_pending(make_child(listener, socket));
  return 0;
}

int tcp_listen(struct socket *socket, int backlog) {
  if (socket->state != SOCKET_NEW && socket->state != SOCKET_LISTENING) return -EINVAL;
  if (socket->family != AF_UNIX) {
    if (!socket->is_bound) {
      int code = socket_bind_any(socket, NULL);
      if (code < 0) return code;
    }
    if (socket->state == SOCKET_NEW && socket_conflicts(socket, &socket->local, true)) return -EADDRINUSE;
  } else if (!socket->is_bound) {
    return -EINVAL;
  }
  socket->state = SOCKET_LISTENING;
  socket->backlog = backlog < 0 || backlog > 4096 ? 4096 : backlog;
  return 0;
}

struct socket *tcp_accept(struct socket *listener) {
  struct socket *child = listener->first_pending;
  if (!child) return NULL;
  listener->first_pending = child->next_pending;
  if (!listener->first_pending) listener->last_pending = NULL;
  listener->pending_count--;
  child->next_pending = child->listener = NULL;
  return child;
}

static void tcp_close(struct file *file) {
  struct socket *socket = (struct socket *)file;
  bool tells = !socket->host->is_down;
  struct socket **place = &socket->host->sockets;
  while (*place != socket) place = &(*place)->next_of_host;
  *place = socket->next_of_host;
  if (socket->handshake) {
    if (socket->handshake->client == socket) socket->handshake->client = NULL;
    else socket->handshake->child = NULL;
    socket->handshake = NULL;
  }
  if (socket->state == SOCKET_LISTENING) {
    for (struct socket *other = socket->host->sockets, *next; other; other = next) {
      next = other->next_of_host;
      if (other->listener != socket) continue;
      other->listener = NULL;
      other->resets_on_close = true;
      file_release(&other->file);
      next = socket->host->sockets;
    }
  }
  leave(socket, tells);
  rights_drop(socket);
  local_close(socket);
}

void tcp_crash(struct sim_host *host) {
  for (struct handshake *handshake = handshakes, *next; handshake; handshake = next) {
    next = handshake->next;
    if (handshake->client_host == host) handshake_end(handshake);
  }
}

const struct kind tcp_kind = {
    .name = "socket", .type = S_IFSOCK, .poll = tcp_poll, .read = tcp_read, .write = tcp_write,
    .readable = tcp_readable, .close = tcp_close};
