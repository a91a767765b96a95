// Streams between two sockets: TCP, and those of the Unix domain.

#include "streams.h"

#include <sys/stat.h>

static bool has_ended(struct socket *socket) {
  return socket->has_shut_reading || (socket->connection && incoming(socket)->has_received_end);
}

static size_t room(struct socket *socket) {
  struct flow *flow = outgoing(socket);
  // What one writes to a socket of the Unix domain is the reader's at once, and takes the writer's room until it is read.
  size_t used = socket->family == AF_UNIX ? flow->received.count : flow->transit.count;
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
    return socket->state == SOCKET_DEAD ? 0 : -ENOTCONN;
  }
  struct flow *flow = incoming(socket);
  size_t size = parts_size(parts, count);
  if (size > flow->received.count) size = flow->received.count;
  if (size) {
    if (socket->rights) size = rights_limit(socket, size);
    // Once both sides have ended, libuv takes a read that leaves room for the last one. On Linux it is: all that has come is given.
    if (!peeks && !(flow->has_received_end && socket->family != AF_UNIX)) size = cut_short(size);
    buffer_copy(&flow->received, 0, parts, count, size);
    if (peeks) return (ssize_t)size;
    buffer_drop(&flow->received, size);
    flow->taken_count += size;
    if (socket->family == AF_UNIX && tcp_peer(socket)) file_changed(&tcp_peer(socket)->file);
    if (flow->is_full && flow->received.count <= socket->receive_size / 2) {
      // The sender learns of the room, and what it sends then takes as long again.
      flow->is_full = false;
      struct sim_host *own = socket->host, *other = flow->connection->hosts[flow->side];
      flow->first->due = kernel.now + link_latency(own, other) + link_latency(other, own);
      flow_arm(flow);
    }
    return (ssize_t)size;
  }
  // Once the end has come, a reset that follows changes nothing for a reader.
  if (flow->has_received_end && socket->family != AF_UNIX) return 0;
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
  if (socket->family == AF_UNIX && socket->has_shut_writing) return -EPIPE;
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
  outgoing(socket)->sent_count += size;
  return (ssize_t)size;
}

ssize_t tcp_write_rest(struct socket *socket, const struct iovec *parts, int count, ssize_t done, const char *call) {
  ssize_t size = (ssize_t)parts_size(parts, count);
  // What the weather has cut short has left room. An error is the next write's.
  while (done > 0 && done < size && socket->connection && !room(socket) && !socket->error) {
    if (file_wait(&socket->file, call) < 0) break;
    if (socket->error || !socket->connection || !room(socket)) continue;
    struct buffer rest = {0};
    buffer_put(&rest, parts, count, (size_t)done, (size_t)(size - done));
    ssize_t written = tcp_write(&socket->file, &(struct iovec){rest.bytes, rest.count}, 1);
    buffer_free(&rest);
    if (written < 0) break;
    done += written;
  }
  return done;
}

static int tcp_readable(struct file *file) {
  struct socket *socket = (struct socket *)file;
  return socket->connection ? (int)incoming(socket)->received.count : 0;
}

int tcp_shutdown(struct socket *socket, int how) {
  if (socket->state != SOCKET_CONNECTED) return -ENOTCONN;
  if (socket->family == AF_UNIX) {
    // Each side learns of what the other one has shut down.
    struct socket *peer = tcp_peer(socket);
    if (how != SHUT_WR) {
      socket->has_shut_reading = true;
      if (peer) peer->has_shut_writing = true;
    }
    if (how != SHUT_RD) {
      socket->has_shut_writing = true;
      if (peer) peer->has_shut_reading = true;
    }
    file_changed(&socket->file);
    if (peer) file_changed(&peer->file);
    return 0;
  }
  // Once both sides have ended, the connection is over.
  if (socket->has_shut_writing && incoming(socket)->has_received_end) return -ENOTCONN;
  if (how != SHUT_WR) socket->has_shut_reading = true;
  if (how != SHUT_RD && !socket->has_shut_writing) {
    socket->has_shut_writing = outgoing(socket)->has_sent_end = true;
    flow_send(outgoing(socket), NULL, 0, 0, true);
  }
  file_changed(&socket->file);
  return 0;
}

/// Takes the socket from its connection. A close is sent to the peer; after a crash, nothing is.
static void leave(struct socket *socket, bool sends_end) {
  struct connection *connection = socket->connection;
  if (!connection) return;
  struct flow *in = incoming(socket), *out = outgoing(socket);
  struct socket *peer = connection->ends[1 - socket->side];
  // Where both sides have ended, Linux has nothing left to reset; with unread bytes, once the peer has heard of the end.
  bool is_over = socket->has_shut_writing && in->has_received_end;
  bool resets = in->received.count > 0 ? !is_over || !out->has_received_end : socket->resets_on_close && !is_over;
  connection->ends[socket->side] = NULL;
  socket->connection = NULL;
  if (!sends_end) {
    connection->is_forgotten[socket->side] = true;
    flow_drop(out);
  } else if (socket->state == SOCKET_CONNECTED && socket->family == AF_UNIX && peer) {
    // The peer learns of it at once. It loses what it has sent.
    if (in->received.count > 0) peer->error = ECONNRESET;
    out->has_received_end = peer->has_shut_writing = true;
    file_changed(&peer->file);
  } else if (socket->state == SOCKET_CONNECTING || (socket->state == SOCKET_CONNECTED && resets)) {
    flow_drop(out);
    connection_reset(connection, 1 - socket->side, false);
  } else if (socket->state == SOCKET_CONNECTED && !socket->has_shut_writing) {
    flow_send(out, NULL, 0, 0, true);
  }
  // What waits for room finds that nobody reads.
  if (in->is_full) {
    in->is_full = false;
    flow_arm(in);
  }
  connection_check(connection);
}

static void tcp_close(struct file *file) {
  struct socket *socket = (struct socket *)file;
  bool sends_end = !socket->host->is_down;
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
  leave(socket, sends_end);
  rights_drop(socket);
  local_close(socket);
}

bool socket_may_refuse(const struct file *file) {
  const struct socket *socket = (const struct socket *)file;
  if (socket->error) return false;
  if (file->kind == &udp_kind) return socket->is_bound || socket->pair;
  if (file->kind != &tcp_kind) return false;
  if (socket->state != SOCKET_CONNECTED) return socket->state == SOCKET_LISTENING;
  return !socket->has_shut_reading && !socket->has_shut_writing && socket->connection &&
         !socket->connection->flows[1 - socket->side].has_received_end;
}

const struct kind tcp_kind = {
    .name = "socket", .type = S_IFSOCK, .poll = tcp_poll, .read = tcp_read, .write = tcp_write,
    .readable = tcp_readable, .close = tcp_close};
