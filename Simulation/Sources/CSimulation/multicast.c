// Groups of UDP: which sockets get what is sent to many. Each host has two interfaces, loopback and a network that joins all hosts.

#include "network.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum interface { DEFAULT, LOOPBACK, NETWORK };

struct membership {
  struct membership *next;
  union address group;
  /// Of which alone something is taken; of no family if of all.
  union address source;
  enum interface interface;
};

bool address_is_group(const union address *address) {
  if (address->any.sa_family == AF_INET) return IN_MULTICAST(ntohl(address->four.sin_addr.s_addr));
  return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&address->six.sin6_addr);
}

bool address_is_broadcast(const union address *address) {
  return address->any.sa_family == AF_INET && address->four.sin_addr.s_addr == htonl(INADDR_BROADCAST);
}

static bool is_same(const union address *one, const union address *other) {
  if (one->any.sa_family != other->any.sa_family) return false;
  if (one->any.sa_family == AF_INET) return one->four.sin_addr.s_addr == other->four.sin_addr.s_addr;
  return memcmp(&one->six.sin6_addr, &other->six.sin6_addr, 16) == 0;
}

// MARK: Options

static union address four(struct in_addr address) {
  return (union address){.four = {.sin_family = AF_INET, .sin_addr = address}};
}

static int interface_of(const struct sim_host *host, struct in_addr address) {
  union address own = four(address);
  if (address.s_addr == htonl(INADDR_ANY)) return DEFAULT;
  if (!address_is_of(&own, host)) return -ENODEV;
  return ntohl(address.s_addr) >> 24 == 127 ? LOOPBACK : NETWORK;
}

static int change(struct socket *socket, bool joins, struct membership wish) {
  if (!address_is_group(&wish.group)) return -EINVAL;
  if (wish.interface == DEFAULT) wish.interface = NETWORK;
  struct membership **place = &socket->memberships;
  for (; *place; place = &(*place)->next) {
    if ((*place)->interface != wish.interface || !is_same(&(*place)->group, &wish.group)) continue;
    // One of all sources, or of some.
    if (!(*place)->source.any.sa_family != !wish.source.any.sa_family) return -EINVAL;
    if (!wish.source.any.sa_family || is_same(&(*place)->source, &wish.source)) break;
  }
  if (joins) {
    if (*place) return wish.source.any.sa_family ? -EADDRNOTAVAIL : -EADDRINUSE;
    *place = malloc(sizeof wish);
    wish.next = NULL;
    **place = wish;
    return 0;
  }
  struct membership *membership = *place;
  if (!membership) return wish.source.any.sa_family ? -EINVAL : -EADDRNOTAVAIL;
  *place = membership->next;
  free(membership);
  return 0;
}

static int set_four(struct socket *socket, int name, const void *bytes, socklen_t length) {
  struct membership wish = {0};
  int interface;
  switch (name) {
    case IP_ADD_MEMBERSHIP:
    case IP_DROP_MEMBERSHIP: {
      struct ip_mreq request;
      if (length < sizeof request) return -EINVAL;
      memcpy(&request, bytes, sizeof request);
      wish.group = four(request.imr_multiaddr);
      if (!address_is_group(&wish.group)) return -EINVAL;
      if ((interface = interface_of(socket->host, request.imr_interface)) < 0) return interface;
      wish.interface = (enum interface)interface;
      return change(socket, name == IP_ADD_MEMBERSHIP, wish);
    }
    case IP_ADD_SOURCE_MEMBERSHIP:
    case IP_DROP_SOURCE_MEMBERSHIP: {
      struct ip_mreq_source request;
      if (length < sizeof request) return -EINVAL;
      memcpy(&request, bytes, sizeof request);
      wish.group = four(request.imr_multiaddr);
      wish.source = four(request.imr_sourceaddr);
      if ((interface = interface_of(socket->host, request.imr_interface)) < 0) return interface;
      wish.interface = (enum interface)interface;
      return change(socket, name == IP_ADD_SOURCE_MEMBERSHIP, wish);
    }
    default: {
      struct in_addr address;
      if (length < sizeof address) return -EINVAL;
      memcpy(&address, bytes, sizeof address);
      if ((interface = interface_of(socket->host, address)) < 0) return -EADDRNOTAVAIL;
      socket->multicast_interface = interface;
      return 0;
    }
  }
}

/// The first interface of a machine is that of loopback.
static enum interface numbered(unsigned number) { return number == 0 ? DEFAULT : number == 1 ? LOOPBACK : NETWORK; }

static int set_six(struct socket *socket, int name, const void *bytes, socklen_t length) {
  struct membership wish = {0};
  switch (name) {
    case IPV6_ADD_MEMBERSHIP:
    case IPV6_DROP_MEMBERSHIP: {
      struct ipv6_mreq request;
      if (length < sizeof request) return -EINVAL;
      memcpy(&request, bytes, sizeof request);
      wish.group.six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = request.ipv6mr_multiaddr};
      wish.interface = numbered(request.ipv6mr_interface);
      return change(socket, name == IPV6_ADD_MEMBERSHIP, wish);
    }
    case MCAST_JOIN_SOURCE_GROUP:
    case MCAST_LEAVE_SOURCE_GROUP: {
      struct group_source_req request;
      if (length < sizeof request) return -EINVAL;
      memcpy(&request, bytes, sizeof request);
      memcpy(&wish.group, &request.gsr_group, sizeof wish.group.six);
      memcpy(&wish.source, &request.gsr_source, sizeof wish.source.six);
      wish.interface = numbered(request.gsr_interface);
      return change(socket, name == MCAST_JOIN_SOURCE_GROUP, wish);
    }
    default: {
      int number;
      if (length < sizeof number) return -EINVAL;
      memcpy(&number, bytes, sizeof number);
      if (number < 0) return -EINVAL;
      socket->multicast_interface = numbered((unsigned)number);
      return 0;
    }
  }
}

bool multicast_set(struct socket *socket, int level, int name, const void *bytes, socklen_t length, int *code) {
  if (socket->type != SOCK_DGRAM || socket->family == AF_UNIX) return false;
  if (level == IPPROTO_IP &&
      (name == IP_ADD_MEMBERSHIP || name == IP_DROP_MEMBERSHIP || name == IP_ADD_SOURCE_MEMBERSHIP ||
       name == IP_DROP_SOURCE_MEMBERSHIP || name == IP_MULTICAST_IF)) {
    *code = set_four(socket, name, bytes, length);
    return true;
  }
  if (level == IPPROTO_IPV6 &&
      (name == IPV6_ADD_MEMBERSHIP || name == IPV6_DROP_MEMBERSHIP || name == MCAST_JOIN_SOURCE_GROUP ||
       name == MCAST_LEAVE_SOURCE_GROUP || name == IPV6_MULTICAST_IF)) {
    *code = set_six(socket, name, bytes, length);
    return true;
  }
  return false;
}

void multicast_drop(struct socket *socket) {
  while (socket->memberships) {
    struct membership *membership = socket->memberships;
    socket->memberships = membership->next;
    free(membership);
  }
}

// MARK: Who gets it

bool multicast_is_local(const struct socket *socket) { return socket->multicast_interface == LOOPBACK; }

static bool has_joined(
    const struct socket *socket, const union address *group, bool is_local, const union address *source, bool *has_own) {
  for (const struct membership *one = socket->memberships; one; one = one->next) {
    if ((one->interface == LOOPBACK) != is_local || !is_same(&one->group, group)) continue;
    *has_own = true;
    if (!source || !one->source.any.sa_family || is_same(&one->source, source)) return true;
  }
  return false;
}

bool multicast_takes(
    const struct socket *socket, const union address *group, bool is_local, const union address *source) {
  if (address_is_broadcast(group)) return true;
  bool has_own = false;
  if (has_joined(socket, group, is_local, source, &has_own)) return true;
  // A socket that has joined no such group itself gets what others of its host have joined.
  if (has_own) return false;
  for (const struct socket *other = socket->host->sockets; other; other = other->next_of_host) {
    if (has_joined(other, group, is_local, NULL, &has_own)) return true;
  }
  return false;
}
