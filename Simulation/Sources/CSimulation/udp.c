// Sockets of datagrams: what is sent by them and read from them.

#include "datagrams.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 65507, MOST_OF_PAIR = 10 };

static struct datagram *datagram_of(const struct iovec *parts, int count) {
  size_t size = parts_size(parts, count);
  struct datagram *datagram = datagram_make(NULL, size);
  datagram->size = size;
  char *place = datagram->bytes;
  for (int i = 0; i < count; i++) {
    memcpy(place, parts[i].iov_base, parts[i].iov_len);
    place += parts[i].iov_len;
  }
  return datagram;
}

static ssize_t send_to_pair(struct socket *socket, const struct iovec *parts, int count) {
  if (!socket->pair) return -ECONNREFUSED;
  size_t size = parts_size(parts, count);
  if (size > socket->send_size) return -EMSGSIZE;
  if (socket->pair->datagram_count > MOST_OF_PAIR) return -EAGAIN;
  struct datagram *datagram = datagram_of(parts, count);
  datagram->from.any.sa_family = AF_UNIX;
  datagram_put(socket->pair, datagram);
  return (ssize_t)size;
}

static void send_to_many(struct socket *socket, struct datagram *datagram) {
  bool is_six = datagram->to.any.sa_family == AF_INET6;
  int hops = is_six ? socket_option(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS)
                    : socket_option(socket, IPPROTO_IP, IP_MULTICAST_TTL);
  bool comes_back = is_six ? socket_option(socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP)
                           : socket_option(socket, IPPROTO_IP, IP_MULTICAST_LOOP);
  datagram->is_for_many = true;
  datagram->is_local = multicast_is_local(socket);
  if (datagram->is_local && address_is_any(&socket->local)) {
    union address loopback = {.any.sa_family = datagram->to.any.sa_family};
    if (is_six) loopback.six.sin6_addr = in6addr_loopback;
    else loopback.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address_set_port(&loopback, address_port(&socket->local));
    datagram->from = loopback;
  }
  for (struct sim_host *host = kernel.hosts; host && !datagram->is_local && hops != 0; host = host->next) {
    // The world's own thread isn't a host.
    if (host == socket->host || !host->number) continue;
    struct datagram *copy = datagram_make(datagram, datagram->size);
    copy->target = host;
    datagram_send(copy);
  }
  if (comes_back) datagram_arrive(&datagram->event);
  else datagram_free(datagram);
}

ssize_t udp_send(struct socket *socket, const struct iovec *parts, int count, const union address *to) {
  if (socket->error) {
    int error = socket->error;
    socket->error = 0;
    return -error;
  }
  if (socket->family == AF_UNIX) return send_to_pair(socket, parts, count);
  if (!to) {
    if (!socket->remote.any.sa_family) return -EDESTADDRREQ;
    to = &socket->remote;
  }
  // What travels is a datagram of one family, whatever the sockets are of.
  union address target_address = address_unmapped(to), own = address_unmapped(&socket->local);
  to = &target_address;
  if (socket->only_six && to->any.sa_family == AF_INET) return -ENETUNREACH;
  size_t size = parts_size(parts, count);
  if (size > MOST_BYTES) return -EMSGSIZE;
  if (address_port(to) == 0) return -EINVAL;
  if (!socket->is_bound) {
    int code = socket_bind_any(socket, NULL);
    if (code < 0) return code;
  }
  if (address_is_broadcast(to) && !socket_option(socket, SOL_SOCKET, SO_BROADCAST)) return -EACCES;
  bool is_for_many = address_is_group(to) || address_is_broadcast(to);
  struct sim_host *target = is_for_many ? socket->host : address_host(to, socket->host);
  // The other host is another process, with which only connections are shared.
  if (kernel.time_goes_on && (is_for_many || (target && target != socket->host)))
    fail_missing("a datagram from one of two hosts to the other", NULL);
  if (!target) return -ENETUNREACH;
  struct datagram *datagram = datagram_of(parts, count);
  datagram->from = own;
  if (address_is_any(&socket->local)) {
    datagram->from = address_own(socket->host, to);
    address_set_port(&datagram->from, address_port(&socket->local));
  }
  datagram->to = *to;
  if (address_is_any(to)) {
    datagram->to = address_own(socket->host, to);
    address_set_port(&datagram->to, address_port(to));
  }
  datagram->source = socket->host;
  datagram->target = target;
  datagram->sent = kernel.now;
  if (is_for_many) {
    send_to_many(socket, datagram);
    return (ssize_t)size;
  }
  if (target == socket->host) {
    datagram_arrive(&datagram->event);
    return (ssize_t)size;
  }
  datagram_send(datagram);
  return (ssize_t)size;
}

ssize_t udp_receive(struct socket *socket, const struct iovec *parts, int count, union address *from, int *flags) {
  if (socket->error) {
    int error = socket->error;
    socket->error = 0;
    return -error;
  }
  struct datagram *datagram = socket->first_datagram;
  if (!datagram) return -EAGAIN;
  socket->first_datagram = datagram->next;
  if (!datagram->next) socket->last_datagram = NULL;
  socket->datagram_size -= datagram->size;
  socket->datagram_count--;
  if (socket->pair) file_changed(&socket->pair->file);
  size_t size = parts_size(parts, count);
  if (size < datagram->size) *flags |= MSG_TRUNC;
  else size = datagram->size;
  const char *place = datagram->bytes;
  size_t left = size;
  for (int i = 0; i < count && left > 0; i++) {
    size_t length = parts[i].iov_len < left ? parts[i].iov_len : left;
    memcpy(parts[i].iov_base, place, length);
    place += length;
    left -= length;
  }
  *from = socket->family == AF_INET6 ? address_mapped(&datagram->from) : datagram->from;
  datagram_free(datagram);
  return (ssize_t)size;
}

static uint32_t udp_poll(struct file *file) {
  struct socket *socket = (struct socket *)file;
  bool has_room = !socket->pair || socket->pair->datagram_count <= MOST_OF_PAIR;
  return (has_room ? EPOLLOUT | EPOLLWRNORM : 0) | (socket->first_datagram ? EPOLLIN | EPOLLRDNORM : 0) |
         (socket->error ? EPOLLERR : 0);
}

static ssize_t udp_read(struct file *file, const struct iovec *parts, int count) {
  union address from;
  int flags = 0;
  return udp_receive((struct socket *)file, parts, count, &from, &flags);
}

static ssize_t udp_write(struct file *file, const struct iovec *parts, int count) {
  return udp_send((struct socket *)file, parts, count, NULL);
}

static int udp_readable(struct file *file) {
  struct datagram *datagram = ((struct socket *)file)->first_datagram;
  return datagram ? (int)datagram->size : 0;
}

static void udp_close(struct file *file) {
  struct socket *socket = (struct socket *)file, **place = &socket->host->sockets;
  while (*place != socket) place = &(*place)->next_of_host;
  *place = socket->next_of_host;
  if (socket->pair) socket->pair->pair = NULL;
  multicast_drop(socket);
  while (socket->first_datagram) {
    struct datagram *datagram = socket->first_datagram;
    socket->first_datagram = datagram->next;
    datagram_free(datagram);
  }
}

const struct kind udp_kind = {
    .name = "socket", .type = S_IFSOCK, .poll = udp_poll, .read = udp_read, .write = udp_write,
    .readable = udp_readable, .close = udp_close};
