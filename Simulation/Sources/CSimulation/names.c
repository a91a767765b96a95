// Names of hosts: a table of the world's, asked over a network that takes its time.

#include "disk.h"
#include "real.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_host *host_named(const char *name) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    // The world's own thread isn't a host.
    if (host->number && strcasecmp(host->name, name) == 0) return host;
  }
  return NULL;
}

static struct addrinfo *make(const union address *address, int type, int protocol, uint16_t port) {
  socklen_t length = address_length(address);
  // In one block, as libc's own, which frees it.
  struct addrinfo *info = calloc(1, sizeof *info + length);
  info->ai_family = address->any.sa_family;
  info->ai_socktype = type;
  info->ai_protocol = protocol;
  info->ai_addrlen = length;
  info->ai_addr = (struct sockaddr *)(info + 1);
  union address copy = *address;
  address_set_port(&copy, port);
  memcpy(info->ai_addr, &copy, length);
  return info;
}

/// Waits as long as a question to a name server takes.
static int ask(void) {
  uint64_t wait = kernel.names.latency + (kernel.names.jitter ? draw_below(&kernel.draws[DRAW_NETWORK], kernel.names.jitter) : 0);
  struct queue queue = {0};
  uint64_t until = kernel.now + wait;
  while (wait && thread_wait(&queue, until, "getaddrinfo") != SIM_TIMED_OUT) {}
  if (kernel.names.is_failing) return EAI_AGAIN;
  return 0;
}

enum { MOST_FOUND = 8 };

/// What the host's /etc/hosts has of a name: how many addresses.
static int find_in_file(const char *name, union address found[MOST_FOUND]) {
  struct place place;
  if (disk_find(sim_self->host, "/etc/hosts", true, &place) < 0 || !place.node || !S_ISREG(place.node->mode)) return 0;
  char *text = strndup(place.node->bytes ? place.node->bytes : "", place.node->size), *rest = text, *line;
  int count = 0;
  while ((line = strsep(&rest, "\n")) && count < MOST_FOUND) {
    line[strcspn(line, "#")] = 0;
    char *word, *address = strtok_r(line, " \t", &word);
    union address one = {0};
    if (!address) continue;
    if (inet_pton(AF_INET, address, &one.four.sin_addr) == 1) one.any.sa_family = AF_INET;
    else if (inet_pton(AF_INET6, address, &one.six.sin6_addr) == 1) one.any.sa_family = AF_INET6;
    else continue;
    for (char *alias; (alias = strtok_r(NULL, " \t", &word));) {
      if (strcasecmp(alias, name) != 0) continue;
      found[count++] = one;
      break;
    }
  }
  free(text);
  return count;
}

static int lookup(
    const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  int family = hints ? hints->ai_family : AF_UNSPEC, type = hints ? hints->ai_socktype : 0;
  int flags = hints ? hints->ai_flags : 0;
  if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6) return EAI_FAMILY;
  if (!name && !service) return EAI_NONAME;
  uint16_t port = 0;
  if (service) {
    char *end;
    long number = strtol(service, &end, 10);
    if (*end || number < 0 || number > 65535) {
      if (strcmp(service, "http") == 0) number = 80;
      else if (strcmp(service, "https") == 0) number = 443;
      else return EAI_SERVICE;
    }
    port = (uint16_t)number;
  }
  union address found[MOST_FOUND] = {0};
  int count = 0;
  struct in_addr four;
  struct in6_addr six;
  if (!name) {
    bool is_passive = flags & AI_PASSIVE;
    found[0].any.sa_family = AF_INET6;
    found[0].six.sin6_addr = is_passive ? in6addr_any : in6addr_loopback;
    found[1].any.sa_family = AF_INET;
    found[1].four.sin_addr.s_addr = htonl(is_passive ? INADDR_ANY : INADDR_LOOPBACK);
    count = 2;
  } else if (inet_pton(AF_INET, name, &four) == 1) {
    found[count].any.sa_family = AF_INET;
    found[count++].four.sin_addr = four;
  } else if (inet_pton(AF_INET6, name, &six) == 1) {
    found[count].any.sa_family = AF_INET6;
    found[count++].six.sin6_addr = six;
  } else if (flags & AI_NUMERICHOST) {
    return EAI_NONAME;
  } else if ((count = find_in_file(name, found))) {
    // As in most systems, the file is asked first.
  } else if (strcasecmp(name, "localhost") == 0) {
    found[0].any.sa_family = AF_INET6;
    found[0].six.sin6_addr = in6addr_loopback;
    found[1].any.sa_family = AF_INET;
    found[1].four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    count = 2;
  } else {
    int code = ask();
    if (code) return code;
    struct sim_host *host = host_named(name);
    if (!host) return EAI_NONAME;
    union address like = {.any.sa_family = AF_INET};
    like.four.sin_addr.s_addr = htonl(0x0A000000u | host->number);
    found[0] = like;
    found[1].any.sa_family = AF_INET6;
    found[1].six.sin6_addr.s6_addr[0] = 0xFD;
    found[1].six.sin6_addr.s6_addr[15] = host->number;
    count = 2;
  }
  static const int types[3][2] = {
      {SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}, {SOCK_RAW, IPPROTO_IP}};
  struct addrinfo **last = result;
  *result = NULL;
  for (int i = 0; i < count; i++) {
    if (family != AF_UNSPEC && found[i].any.sa_family != family) continue;
    for (int j = 0; j < 3; j++) {
      if (type && types[j][0] != type) continue;
      *last = make(&found[i], types[j][0], types[j][1], port);
      last = &(*last)->ai_next;
    }
  }
  if (!*result) return EAI_ADDRFAMILY;
  if (flags & AI_CANONNAME) (*result)->ai_canonname = strdup(name ? name : "localhost");
  return 0;
}

int getaddrinfo(
    const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result) {
  if (!IS_SIMULATED) return REAL(getaddrinfo)(name, service, hints, result);
  int code = lookup(name, service, hints, result);
  trace_call(CALL_getaddrinfo, -1, code, name ? hash_bytes(name, strlen(name)) : 0);
  return code;
}

static int name_of(
    const struct sockaddr *from, socklen_t length, char *name, socklen_t name_size, char *service, socklen_t service_size,
    int flags) {
  union address address;
  if (address_take(&address, from->sa_family, from, length) < 0 || from->sa_family == AF_UNIX) return EAI_FAMILY;
  if (name && name_size) {
    const void *bytes = address.any.sa_family == AF_INET ? (void *)&address.four.sin_addr : &address.six.sin6_addr;
    char text[INET6_ADDRSTRLEN];
    inet_ntop(address.any.sa_family, bytes, text, sizeof text);
    const char *found = text;
    if (!(flags & NI_NUMERICHOST)) {
      struct sim_host *host = address_host(&address, sim_self->host);
      int code = ask();
      if (code) return code;
      if (host) found = host == sim_self->host ? "localhost" : host->name;
      else if (flags & NI_NAMEREQD) return EAI_NONAME;
    }
    if (strlen(found) >= name_size) return EAI_OVERFLOW;
    strcpy(name, found);
  }
  if (service && service_size && snprintf(service, service_size, "%u", address_port(&address)) >= (int)service_size)
    return EAI_OVERFLOW;
  return 0;
}

int getnameinfo(
    const struct sockaddr *restrict address, socklen_t length, char *restrict name, socklen_t name_size,
    char *restrict service, socklen_t service_size, int flags) {
  if (!IS_SIMULATED) return REAL(getnameinfo)(address, length, name, name_size, service, service_size, flags);
  int code = name_of(address, length, name, name_size, service, service_size, flags);
  trace_call(CALL_getnameinfo, -1, code, 0);
  return code;
}
