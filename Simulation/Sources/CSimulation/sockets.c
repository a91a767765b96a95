// Sockets: what they have in common.

#include "network.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SEND_SIZE = 87040, RECEIVE_SIZE = 131072, FIRST_PORT = 32768, PORTS = 28232 };

struct socket *socket_make(struct sim_host *host, int family, int type, int flags) {
  struct socket *socket = file_make(type == SOCK_DGRAM ? &udp_kind : &tcp_kind, sizeof *socket, O_RDWR | flags);
  socket->host = host;
  socket->family = family;
  socket->type = type;
  socket->local.any.sa_family = (sa_family_t)family;
  socket->send_size = type == SOCK_DGRAM ? 212992 : SEND_SIZE;
  socket->receive_size = type == SOCK_DGRAM ? 212992 : RECEIVE_SIZE;
  socket->next_of_host = host->sockets;
  host->sockets = socket;
  return socket;
}

struct socket *socket_of(int descriptor, int *error) {
  struct file *file = file_of(descriptor);
  *error = !file ? -EBADF : file->kind != &tcp_kind && file->kind != &udp_kind ? -ENOTSOCK : 0;
  return *error ? NULL : (struct socket *)file;
}

static int make(int family, int type, int protocol) {
  int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (family != AF_INET && family != AF_INET6 && family != AF_UNIX) return -EAFNOSUPPORT;
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return -EPROTONOSUPPORT;
  struct socket *socket = socket_make(sim_self->host, family, kind, type & SOCK_NONBLOCK ? O_NONBLOCK : 0);
  return descriptor_make(&socket->file, type & SOCK_CLOEXEC);
}

int socket(int family, int type, int protocol) {
  if (!IS_SIMULATED) return REAL(socket)(family, type, protocol);
  return (int)traced(CALL_socket, -1, UNLESS_PLANNED(CALL_socket, make(family, type, protocol)), (uint64_t)family << 32 | (uint32_t)type);
}

int socketpair(int family, int type, int protocol, int ends[2]) {
  if (!IS_SIMULATED) return REAL(socketpair)(family, type, protocol, ends);
  int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC), flags = type & SOCK_NONBLOCK ? O_NONBLOCK : 0;
  int code = planned(CALL_socketpair);
  if (code == 0 && family != AF_UNIX) code = -EOPNOTSUPP;
  else if (code == 0 && kind != SOCK_STREAM && kind != SOCK_DGRAM) code = -EPROTONOSUPPORT;
  if (code == 0) {
    struct socket *one = socket_make(sim_self->host, family, kind, flags);
    struct socket *two = socket_make(sim_self->host, family, kind, flags);
    one->state = two->state = SOCKET_CONNECTED;
    one->peer_process = two->peer_process = sim_self->process->id;
    one->remote.any.sa_family = two->remote.any.sa_family = AF_UNIX;
    if (kind == SOCK_STREAM) {
      tcp_pair(one, two);
    } else {
      one->pair = two;
      two->pair = one;
    }
    ends[0] = descriptor_make(&one->file, type & SOCK_CLOEXEC);
    ends[1] = descriptor_make(&two->file, type & SOCK_CLOEXEC);
    if (ends[1] < 0 && ends[0] >= 0) descriptor_close(sim_self->process, ends[0]);
    if (ends[0] < 0 || ends[1] < 0) code = -EMFILE;
  }
  return (int)traced(CALL_socketpair, -1, code, (uint64_t)type);
}

// MARK: Names

bool socket_conflicts(const struct socket *socket, const union address *address, bool listens) {
  for (struct socket *other = socket->host->sockets; other; other = other->next_of_host) {
    if (other == socket || other->type != socket->type || !other->is_bound || other->family == AF_UNIX) continue;
    // What was accepted has its listener's port, and is in nobody's way.
    if (other->connection || other->listener || address_port(&other->local) != address_port(address)) continue;
    if (!address_matches(&other->local, address, other->only_six) &&
        !address_matches(address, &other->local, socket->only_six))
      continue;
    if (other->reuses_port && socket->reuses_port) continue;
    if (socket->type == SOCK_STREAM ? other->state != SOCKET_LISTENING && (listens || (other->reuses_address && socket->reuses_address))
                                    : other->reuses_address && socket->reuses_address)
      continue;
    return true;
  }
  return false;
}

static int give_port(struct socket *socket, union address *address) {
  for (int tries = 0; tries < PORTS; tries++) {
    address_set_port(address, (uint16_t)(FIRST_PORT + draw_below(&kernel.draws[DRAW_NETWORK], PORTS)));
    bool is_taken = false;
    for (struct socket *other = socket->host->sockets; other && !is_taken; other = other->next_of_host)
      is_taken = other != socket && other->is_bound && other->type == socket->type && other->family != AF_UNIX &&
                 address_port(&other->local) == address_port(address);
    if (!is_taken) return 0;
  }
  return -EADDRINUSE;
}

int socket_bind_any(struct socket *socket, const union address *target) {
  bool is_any = !socket->is_bound || address_is_any(&socket->local);
  if (target && is_any) {
    uint16_t port = socket->is_bound ? address_port(&socket->local) : 0;
    socket->local = address_own(socket->host, target);
    address_set_port(&socket->local, port);
  }
  if (socket->is_bound) return 0;
  socket->local.any.sa_family = (sa_family_t)socket->family;
  int code = give_port(socket, &socket->local);
  socket->is_bound = code == 0;
  return code;
}

static int bind_socket(int descriptor, const struct sockaddr *from, socklen_t length) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  union address address;
  if ((code = address_take(&address, socket->family, from, length)) < 0) return code;
  if (socket->is_bound) return -EINVAL;
  if (socket->family == AF_UNIX) return local_bind(socket, &address);
  if (!address_is_any(&address) && !address_is_of(&address, socket->host)) {
    if (socket->type != SOCK_DGRAM || !address_is_group(&address)) return -EADDRNOTAVAIL;
  }
  if (address_port(&address) == 0) {
    if ((code = give_port(socket, &address)) < 0) return code;
  } else if (socket_conflicts(socket, &address, false)) {
    return -EADDRINUSE;
  }
  socket->local = address;
  socket->is_bound = true;
  return 0;
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  if (!IS_SIMULATED) return REAL(bind)(descriptor, address, length);
  return (int)traced(CALL_bind, descriptor, UNLESS_PLANNED(CALL_bind, bind_socket(descriptor, address, length)), hash_bytes(address, length));
}

int listen(int descriptor, int backlog) {
  if (!IS_SIMULATED) return REAL(listen)(descriptor, backlog);
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (socket) code = (int)UNLESS_PLANNED(CALL_listen, socket->type == SOCK_STREAM ? tcp_listen(socket, backlog) : -EOPNOTSUPP);
  return (int)traced(CALL_listen, descriptor, code, (uint64_t)backlog);
}

static int accept_from(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  int code;
  struct socket *listener = socket_of(descriptor, &code), *child;
  if (!listener) return code;
  // Linux looks for a descriptor first, so that the connection stays with the listener if there is none.
  if (!descriptors_have_room()) return -EMFILE;
  if (listener->state != SOCKET_LISTENING) return -EINVAL;
  if (refusal_is_due(&listener->file)) return -EAGAIN;
  file_hold(&listener->file);
  while (!(child = tcp_accept(listener)) && !(listener->file.flags & O_NONBLOCK) && code == 0)
    code = file_wait(&listener->file, "accept");
  file_release(&listener->file);
  if (!child) return code < 0 ? code : -EAGAIN;
  if (flags & SOCK_NONBLOCK) child->file.flags |= O_NONBLOCK;
  address_give(&child->remote, address, length);
  return descriptor_make(&child->file, flags & SOCK_CLOEXEC);
}

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  if (!IS_SIMULATED) return LEFT("accept4", descriptor, REAL(accept4)(descriptor, address, length, flags));
  return (int)traced(CALL_accept, descriptor, UNLESS_PLANNED(CALL_accept, accept_from(descriptor, address, length, flags)), 0);
}

int accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  if (!IS_SIMULATED) return LEFT("accept", descriptor, REAL(accept)(descriptor, address, length));
  return (int)traced(CALL_accept, descriptor, UNLESS_PLANNED(CALL_accept, accept_from(descriptor, address, length, 0)), 0);
}

static int connect_socket(int descriptor, const struct sockaddr *to, socklen_t length) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  union address address;
  if (socket->type == SOCK_DGRAM && to->sa_family == AF_UNSPEC) {
    memset(&socket->remote, 0, sizeof socket->remote);
    return 0;
  }
  if ((code = address_take(&address, socket->family, to, length)) < 0) return code;
  if (socket->type == SOCK_DGRAM) {
    if (socket->family == AF_UNIX) {
      struct socket *other;
      code = local_find(socket->host, &address, &other);
      return code < 0 ? code : other->type == SOCK_DGRAM ? -EOPNOTSUPP : -EPROTOTYPE;
    }
    if ((code = socket_bind_any(socket, &address)) < 0) return code;
    socket->remote = address;
    return 0;
  }
  if (socket->family == AF_UNIX) {
    struct socket *listener;
    code = local_find(socket->host, &address, &listener);
    return code < 0 ? code : local_connect(socket, listener);
  }
  code = tcp_connect(socket, &address);
  if (code != -EINPROGRESS || (socket->file.flags & O_NONBLOCK)) return code;
  file_hold(&socket->file);
  code = 0;
  while (socket->state == SOCKET_CONNECTING && code == 0) code = file_wait(&socket->file, "connect");
  // If it was interrupted, the connection is made nevertheless.
  if (socket->state != SOCKET_CONNECTING) {
    code = -socket->error;
    socket->error = 0;
  }
  file_release(&socket->file);
  return code;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  if (!IS_SIMULATED) return LEFT("connect", descriptor, REAL(connect)(descriptor, address, length));
  int code = (int)UNLESS_PLANNED(CALL_connect, connect_socket(descriptor, address, length));
  return (int)traced(CALL_connect, descriptor, code, hash_bytes(address, length));
}

int shutdown(int descriptor, int how) {
  if (!IS_SIMULATED) return LEFT("shutdown", descriptor, REAL(shutdown)(descriptor, how));
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (socket) code = socket->type == SOCK_STREAM ? tcp_shutdown(socket, how) : -ENOTCONN;
  return (int)traced(CALL_shutdown, descriptor, code, (uint64_t)how);
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *length) {
  if (!IS_SIMULATED) return REAL(getsockname)(descriptor, address, length);
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (socket) address_give(&socket->local, address, length);
  return (int)traced(CALL_getsockname, descriptor, code, 0);
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *length) {
  if (!IS_SIMULATED) return REAL(getpeername)(descriptor, address, length);
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (socket) {
    bool is_connected = socket->type == SOCK_DGRAM ? socket->remote.any.sa_family != 0
                                                   : socket->state == SOCKET_CONNECTED;
    if (is_connected) address_give(&socket->remote, address, length);
    else code = -ENOTCONN;
  }
  return (int)traced(CALL_getpeername, descriptor, code, 0);
}
