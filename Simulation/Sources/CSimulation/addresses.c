// Addresses of sockets. Each host has 10.0.0.N and fd00::N, beside those of loopback.

#include "network.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

socklen_t address_length(const union address *address) {
  switch (address->any.sa_family) {
    case AF_INET: return sizeof address->four;
    case AF_INET6: return sizeof address->six;
    case AF_UNIX:
      if (!address->local.sun_path[0]) return offsetof(struct sockaddr_un, sun_path);
      return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(address->local.sun_path) + 1);
    default: return sizeof address->any.sa_family;
  }
}

int address_take(union address *address, int family, const struct sockaddr *from, socklen_t length) {
  memset(address, 0, sizeof *address);
  if (length < sizeof from->sa_family || length > sizeof *address) return -EINVAL;
  memcpy(address, from, length);
  socklen_t least = family == AF_INET ? sizeof address->four : family == AF_INET6 ? 24 : 3;
  if (address->any.sa_family == AF_UNSPEC && family != AF_UNIX) address->any.sa_family = (sa_family_t)family;
  if (address->any.sa_family != family) return -EAFNOSUPPORT;
  return length < least ? -EINVAL : 0;
}

void address_give(const union address *address, struct sockaddr *to, socklen_t *length) {
  if (!to || !length) return;
  socklen_t own = address_length(address);
  memcpy(to, address, own < *length ? own : *length);
  *length = own;
}

uint16_t address_port(const union address *address) {
  return ntohs(address->any.sa_family == AF_INET ? address->four.sin_port : address->six.sin6_port);
}

void address_set_port(union address *address, uint16_t port) {
  if (address->any.sa_family == AF_INET) address->four.sin_port = htons(port);
  else address->six.sin6_port = htons(port);
}

bool address_is_any(const union address *address) {
  if (address->any.sa_family == AF_INET) return address->four.sin_addr.s_addr == htonl(INADDR_ANY);
  return IN6_IS_ADDR_UNSPECIFIED(&address->six.sin6_addr);
}

/// The IPv4 address of either form; false if it is none.
static bool four_of(const union address *address, uint32_t *four) {
  if (address->any.sa_family == AF_INET) {
    *four = ntohl(address->four.sin_addr.s_addr);
    return true;
  }
  if (!IN6_IS_ADDR_V4MAPPED(&address->six.sin6_addr)) return false;
  memcpy(four, &address->six.sin6_addr.s6_addr[12], 4);
  *four = ntohl(*four);
  return true;
}

union address address_unmapped(const union address *address) {
  uint32_t four;
  if (address->any.sa_family != AF_INET6 || !four_of(address, &four)) return *address;
  return (union address){
      .four = {.sin_family = AF_INET, .sin_port = address->six.sin6_port, .sin_addr.s_addr = htonl(four)}};
}

union address address_mapped(const union address *address) {
  if (address->any.sa_family != AF_INET) return *address;
  union address mapped = {.six = {.sin6_family = AF_INET6, .sin6_port = address->four.sin_port}};
  mapped.six.sin6_addr.s6_addr[10] = mapped.six.sin6_addr.s6_addr[11] = 0xFF;
  memcpy(&mapped.six.sin6_addr.s6_addr[12], &address->four.sin_addr, 4);
  return mapped;
}

bool address_matches(const union address *bound, const union address *target, bool only_six) {
  uint32_t one, two;
  bool is_four = four_of(target, &two);
  if (bound->any.sa_family == AF_INET6 && address_is_any(bound)) return !is_four || !only_six;
  if (bound->any.sa_family == AF_INET && address_is_any(bound)) return is_four;
  if (four_of(bound, &one)) return is_four && one == two;
  return !is_four && memcmp(&bound->six.sin6_addr, &target->six.sin6_addr, 16) == 0;
}

/// The number of the host, 0 for the calling host's own loopback; -1 if there is none of that address.
static int host_number(const union address *address) {
  uint32_t four;
  if (four_of(address, &four)) {
    if (four >> 24 == 127 || four == INADDR_ANY) return 0;
    return four >> 8 == 0x0A0000 ? (int)(four & 255) : -1;
  }
  const uint8_t *bytes = address->six.sin6_addr.s6_addr;
  if (address_is_any(address) || IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr)) return 0;
  static const uint8_t prefix[15] = {0xFD};
  return memcmp(bytes, prefix, 15) == 0 ? bytes[15] : -1;
}

bool address_is_of(const union address *address, const struct sim_host *host) {
  int number = host_number(address);
  return number == 0 || number == host->number;
}

struct sim_host *address_host(const union address *address, struct sim_host *from) {
  int number = host_number(address);
  if (number == 0) return from;
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    if (host->number == number) return host;
  }
  return NULL;
}

union address address_own(const struct sim_host *host, const union address *target) {
  union address own = {0};
  uint32_t four;
  bool is_loopback = host_number(target) == 0;
  own.any.sa_family = target->any.sa_family;
  if (target->any.sa_family == AF_INET) {
    own.four.sin_addr.s_addr = is_loopback ? htonl(INADDR_LOOPBACK) : htonl(0x0A000000u | host->number);
  } else if (four_of(target, &four)) {
    four = is_loopback ? htonl(INADDR_LOOPBACK) : htonl(0x0A000000u | host->number);
    own.six.sin6_addr.s6_addr[10] = own.six.sin6_addr.s6_addr[11] = 0xFF;
    memcpy(&own.six.sin6_addr.s6_addr[12], &four, 4);
  } else if (is_loopback) {
    own.six.sin6_addr = in6addr_loopback;
  } else {
    own.six.sin6_addr.s6_addr[0] = 0xFD;
    own.six.sin6_addr.s6_addr[15] = host->number;
  }
  return own;
}
