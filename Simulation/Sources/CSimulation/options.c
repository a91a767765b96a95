// Options of sockets. Those that do nothing here are kept, so that they can be read again.

#include "real.h"
#include "streams.h"

#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static int keep(struct socket *socket, int level, int name, int value) {
  for (int i = 0; i < MOST_OPTIONS; i++) {
    bool is_free = socket->options[i].level == 0 && socket->options[i].name == 0;
    if (!is_free && (socket->options[i].level != level || socket->options[i].name != name)) continue;
    socket->options[i].level = level;
    socket->options[i].name = name;
    socket->options[i].value = value;
    return 0;
  }
  return -ENOBUFS;
}

int socket_option(const struct socket *socket, int level, int name) {
  for (int i = 0; i < MOST_OPTIONS; i++) {
    if (socket->options[i].level == level && socket->options[i].name == name) return socket->options[i].value;
  }
  if (level == IPPROTO_IP && name == IP_TTL) return 64;
  if ((level == IPPROTO_IP && (name == IP_MULTICAST_TTL || name == IP_MULTICAST_LOOP)) ||
      (level == IPPROTO_IPV6 && (name == IPV6_MULTICAST_LOOP || name == IPV6_MULTICAST_HOPS)))
    return 1;
  return 0;
}

static int set(int descriptor, int level, int name, const void *bytes, socklen_t length, const void *caller) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  if (multicast_set(socket, level, name, bytes, length, &code)) return code;
  int value = 0;
  if (length >= sizeof value) memcpy(&value, bytes, sizeof value);
  else if (length == 1) value = *(const uint8_t *)bytes;
  else return -EINVAL;
  if (level == SOL_SOCKET) {
    switch (name) {
      case SO_REUSEADDR: socket->reuses_address = value; return 0;
      case SO_REUSEPORT: socket->reuses_port = value; return 0;
      case SO_LINGER: {
        const struct linger *linger = bytes;
        socket->resets_on_close = linger->l_onoff && linger->l_linger == 0;
        return 0;
      }
      // Linux doubles both, and has a least value.
      case SO_SNDBUF: socket->send_size = value < 2304 ? 4608 : (size_t)value * 2; return 0;
      case SO_RCVBUF: socket->receive_size = value < 1152 ? 2304 : (size_t)value * 2; return 0;
      case SO_KEEPALIVE:
      case SO_BROADCAST:
      case SO_OOBINLINE: return keep(socket, level, name, value != 0);
    }
  } else if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) {
    if (socket->family != AF_INET6) return -ENOPROTOOPT;
    if (socket->is_bound) return -EINVAL;
    socket->only_six = value;
    return 0;
  } else if (level == IPPROTO_TCP) {
    if (socket->type != SOCK_STREAM || socket->family == AF_UNIX) return -EOPNOTSUPP;
    switch (name) {
      case TCP_NODELAY:
      case TCP_CORK:
      case TCP_QUICKACK: return keep(socket, level, name, value != 0);
      case TCP_KEEPIDLE:
      case TCP_KEEPINTVL: return value < 1 || value > 32767 ? -EINVAL : keep(socket, level, name, value);
      case TCP_KEEPCNT: return value < 1 || value > 127 ? -EINVAL : keep(socket, level, name, value);
    }
  } else if (level == IPPROTO_IP && (name == IP_TTL || name == IP_MULTICAST_TTL || name == IP_MULTICAST_LOOP)) {
    return value < (name == IP_TTL ? 1 : 0) || value > 255 ? -EINVAL : keep(socket, level, name, value);
  } else if (level == IPPROTO_IPV6 && (name == IPV6_UNICAST_HOPS || name == IPV6_MULTICAST_HOPS || name == IPV6_MULTICAST_LOOP)) {
    return value < -1 || value > 255 ? -EINVAL : keep(socket, level, name, value);
  } else if (level == IPPROTO_IP && name == IP_RECVERR) {
    return keep(socket, level, name, value);
  }
  fail_missing("setsockopt of another option", caller);
  return -ENOPROTOOPT;
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
  if (!IS_SIMULATED) return REAL(setsockopt)(descriptor, level, name, value, length);
  int code = set(descriptor, level, name, value, length, __builtin_return_address(0));
  return (int)traced(CALL_setsockopt, descriptor, code, (uint64_t)level << 32 | (uint32_t)name);
}

static void give(const void *value, socklen_t size, void *bytes, socklen_t *length) {
  if (*length > size) *length = size;
  memcpy(bytes, value, *length);
}

/// What the links say. Nothing is counted as sent again, and the window is the first one.
static struct tcp_info information(const struct socket *socket) {
  struct tcp_info info = {.tcpi_snd_cwnd = 10, .tcpi_snd_mss = 1448};
  if (!socket->connection) return info;
  struct sim_host *own = socket->host, *other = socket->connection->hosts[1 - socket->side];
  if (own == other) return info;
  const struct link *ways[2] = {&own->links[other->number], &other->links[own->number]};
  for (int i = 0; i < 2; i++) {
    info.tcpi_rtt += (uint32_t)((ways[i]->latency + ways[i]->jitter / 2) / 1000);
    info.tcpi_rttvar += (uint32_t)(ways[i]->jitter / 2 / 1000);
  }
  return info;
}

static int get(int descriptor, int level, int name, void *bytes, socklen_t *length) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  int value;
  if (level == IPPROTO_TCP && name == TCP_INFO) {
    if (socket->type != SOCK_STREAM || socket->family == AF_UNIX) return -EOPNOTSUPP;
    struct tcp_info info = information(socket);
    give(&info, sizeof info, bytes, length);
    return 0;
  }
  if (level == IPPROTO_IPV6 && socket->family != AF_INET6) return -ENOPROTOOPT;
  if (level != SOL_SOCKET) {
    value = level == IPPROTO_IPV6 && name == IPV6_V6ONLY ? socket->only_six : socket_option(socket, level, name);
  } else {
    switch (name) {
      case SO_ERROR:
        value = socket->error;
        socket->error = 0;
        break;
      case SO_TYPE: value = socket->type; break;
      case SO_DOMAIN: value = socket->family; break;
      case SO_ACCEPTCONN: value = socket->state == SOCKET_LISTENING; break;
      case SO_REUSEADDR: value = socket->reuses_address; break;
      case SO_REUSEPORT: value = socket->reuses_port; break;
      case SO_SNDBUF: value = (int)socket->send_size; break;
      case SO_RCVBUF: value = (int)socket->receive_size; break;
      case SO_LINGER: {
        struct linger linger = {socket->resets_on_close, 0};
        give(&linger, sizeof linger, bytes, length);
        return 0;
      }
      case SO_PEERCRED: {
        bool is_connected = socket->peer_process;
        struct ucred peer = {
            socket->peer_process, is_connected ? getuid() : (uid_t)-1, is_connected ? getgid() : (gid_t)-1};
        give(&peer, sizeof peer, bytes, length);
        return 0;
      }
      default: value = socket_option(socket, level, name);
    }
  }
  give(&value, sizeof value, bytes, length);
  return 0;
}

int getsockopt(int descriptor, int level, int name, void *restrict value, socklen_t *restrict length) {
  if (!IS_SIMULATED) return REAL(getsockopt)(descriptor, level, name, value, length);
  int code = get(descriptor, level, name, value, length);
  return (int)traced(CALL_getsockopt, descriptor, code, (uint64_t)level << 32 | (uint32_t)name);
}
