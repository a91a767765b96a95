// How a connection is made, in three steps, each of which may be lost.

#include "streams.h"

#include <stdlib.h>

static struct handshake *handshakes;

static void step(struct event *event);

void handshakes_free_all(void) {
  while (handshakes) {
    struct handshake *handshake = handshakes;
    handshakes = handshake->next;
    free(handshake);
  }
}

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
  client->state = SOCKET_DEAD;
  trace_call(CALL_connected, -1, -error, client->file.number);
  file_changed(&client->file);
}

static bool is_from_client(enum stage stage) {
  return stage == REQUEST || stage == ACKNOWLEDGEMENT || stage == CLIENT_REFUSAL;
}

/// The server forgets a connection that nobody has accepted, and nobody will.
static void drop_child(struct handshake *handshake) {
  struct socket *child = handshake->child;
  handshake_end(handshake);
  if (!child) return;
  if (child->listener) child->listener->pending_count--;
  child->listener = NULL;
  file_release(&child->file);
}

static void next_stage(struct handshake *handshake, enum stage stage) {
  struct sim_host *from = is_from_client(stage) ? handshake->client_host : handshake->server_host;
  struct sim_host *to = is_from_client(stage) ? handshake->server_host : handshake->client_host;
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
  bool is_six = listener->family == AF_INET6;
  child->local = is_six ? address_mapped(&client->remote) : address_unmapped(&client->remote);
  child->remote = is_six ? address_mapped(&client->local) : address_unmapped(&client->local);
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
  struct sim_host *from = is_from_client(handshake->stage) ? handshake->client_host : handshake->server_host;
  struct sim_host *to = is_from_client(handshake->stage) ? handshake->server_host : handshake->client_host;
  struct socket *client = handshake->client, *child = handshake->child;
  struct socket *listener = NULL;
  bool is_lost = !to || link_is_cut(from, to) || link_is_held(from, to);
  if (!is_lost && handshake->stage == REQUEST && client) {
    listener = find_listener(to, &client->remote);
    is_lost = listener && listener->pending_count > listener->backlog;
  }
  if (is_lost) {
    // Linux tries six times again, in two minutes.
    if (++handshake->tries > 6 && handshake->stage == CLIENT_REFUSAL) drop_child(handshake);
    else if (handshake->tries > 6) fail_connect(handshake, ETIMEDOUT);
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
      if (!client) {
        // It has been closed. Linux answers by a reset, so that no program hears of the connection.
        next_stage(handshake, CLIENT_REFUSAL);
        break;
      }
      client->state = SOCKET_CONNECTED;
      client->handshake = NULL;
      handshake->client = NULL;
      trace_call(CALL_connected, -1, 0, client->file.number);
      file_changed(&client->file);
      next_stage(handshake, ACKNOWLEDGEMENT);
      if (handshake->client_host == handshake->server_host) {
        event_remove(&handshake->event);
        step(&handshake->event);
      }
      break;
    case ACKNOWLEDGEMENT:
      handshake_end(handshake);
      if (child) put_pending(child);
      break;
    case CLIENT_REFUSAL: drop_child(handshake); break;
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
  // A connect to the unspecified address means this host.
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
  // Within a host all of it happens before the call returns, as on Linux, which doesn't report at once either.
  while (socket->handshake && handshake->server_host == socket->host && handshake->event.time <= kernel.now) {
    event_remove(&handshake->event);
    step(&handshake->event);
  }
  return -EINPROGRESS;
}

int local_connect(struct socket *socket, struct socket *listener) {
  if (socket->connection) return -EISCONN;
  if (listener->state != SOCKET_LISTENING) return -ECONNREFUSED;
  if (listener->pending_count > listener->backlog) return -EAGAIN;
  socket->remote = listener->local;
  socket->local.any.sa_family = AF_UNIX;
  socket->state = SOCKET_CONNECTED;
  struct socket *child = make_child(listener, socket);
  child->peer_process = sim_self->process->id;
  socket->peer_process = listener->process;
  put_pending(child);
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
  socket->process = sim_self->process->id;
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

void tcp_crash(struct sim_host *host) {
  for (struct handshake *handshake = handshakes, *next; handshake; handshake = next) {
    next = handshake->next;
    if (handshake->client_host == host) handshake_end(handshake);
  }
}
