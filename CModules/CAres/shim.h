// The functions of c-ares that Swift can't import, and those that newer versions have deprecated. There is only a header.
#pragma once

#if !__has_include(<ares.h>)
#error "UVDNS needs the headers of c-ares (Debian and Ubuntu: libc-ares-dev; Fedora: c-ares-devel; macOS: brew install c-ares)"
#else

#include <ares.h>

#if ARES_VERSION < 0x011000
#error "UVDNS needs c-ares 1.16 or later (Debian and Ubuntu: libc-ares-dev; macOS: brew install c-ares)"
#endif

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// Errors of c-ares: macros in older versions, and constants of an enumeration in newer ones.
enum {
  CARES_SUCCESS = ARES_SUCCESS,
  CARES_NODATA = ARES_ENODATA,
  CARES_NOTFOUND = ARES_ENOTFOUND,
  CARES_NONAME = ARES_ENONAME,
  CARES_BADNAME = ARES_EBADNAME,
  CARES_BADQUERY = ARES_EBADQUERY,
  CARES_BADRESP = ARES_EBADRESP,
  CARES_BADSTR = ARES_EBADSTR,
  CARES_BADFAMILY = ARES_EBADFAMILY,
  CARES_BADFLAGS = ARES_EBADFLAGS,
  CARES_NOMEM = ARES_ENOMEM,
  CARES_CANCELLED = ARES_ECANCELLED,
  CARES_DESTRUCTION = ARES_EDESTRUCTION
};

static inline int cares_library_init(void) { return ares_library_init(ARES_LIB_INIT_ALL); }

/// The settings of a channel. A pointer that is null, or a number that is -1, leaves the setting to the system.
struct cares_settings {
  int timeout;  // milliseconds
  int tries;
  int dots;
  bool uses_tcp;
  const char *servers;         // separated by commas
  const char *domains;         // separated by blanks
  const char *configuration;   // the path of a resolv.conf
};

/// Opens a channel, or returns an error of c-ares.
static inline int cares_open(
    ares_channel *channel, const struct cares_settings *settings, ares_sock_state_cb watch, void *owner) {
  struct ares_options options;
  int set = ARES_OPT_SOCK_STATE_CB, code = ARES_SUCCESS, capacity = 0;
  char *domains = NULL, *rest = NULL;
  memset(&options, 0, sizeof options);
  options.sock_state_cb = watch;
  options.sock_state_cb_data = owner;
  if (settings->timeout >= 0) options.timeout = settings->timeout, set |= ARES_OPT_TIMEOUTMS;
  if (settings->tries >= 0) options.tries = settings->tries, set |= ARES_OPT_TRIES;
  if (settings->dots >= 0) options.ndots = settings->dots, set |= ARES_OPT_NDOTS;
  if (settings->uses_tcp) options.flags = ARES_FLAG_USEVC, set |= ARES_OPT_FLAGS;
#ifdef ARES_OPT_QUERY_CACHE
  // Older versions keep no answers, and neither does the C library.
  options.qcache_max_ttl = 0;
  set |= ARES_OPT_QUERY_CACHE;
#endif
  if (settings->configuration) {
    options.resolvconf_path = (char *)settings->configuration;
    set |= ARES_OPT_RESOLVCONF;
  }
  if (settings->domains) {
    set |= ARES_OPT_DOMAINS;
    capacity = (int)strlen(settings->domains) / 2 + 1;
    domains = strdup(settings->domains);
    options.domains = (char **)calloc((size_t)capacity, sizeof *options.domains);
    if (!domains || !options.domains) code = ARES_ENOMEM;
    else
      for (char *next = strtok_r(domains, " ", &rest); next; next = strtok_r(NULL, " ", &rest))
        options.domains[options.ndomains++] = next;
  }
  if (code == ARES_SUCCESS) code = ares_init_options(channel, &options, set);
  free(options.domains);
  free(domains);
  if (code == ARES_SUCCESS && settings->servers) {
    code = ares_set_servers_ports_csv(*channel, settings->servers);
    if (code != ARES_SUCCESS) ares_destroy(*channel);
  }
  return code;
}

/// Asks for the records of a name, with the search list or without.
static inline void cares_ask(
    ares_channel channel, const char *name, int type, bool searches, ares_callback done, void *question) {
  (searches ? ares_search : ares_query)(channel, name, 1, type, done, question);
}

static inline void cares_addresses(
    ares_channel channel, const char *name, int family, ares_addrinfo_callback done, void *question) {
  struct ares_addrinfo_hints hints = {0, family, SOCK_STREAM, 0};
  ares_getaddrinfo(channel, name, NULL, &hints, done, question);
}

static inline void cares_names(
    ares_channel channel, const struct sockaddr *address, bool number_host, bool number_service, bool required,
    bool datagram, ares_nameinfo_callback done, void *question) {
  int flags = ARES_NI_LOOKUPHOST | ARES_NI_LOOKUPSERVICE;
  if (number_host) flags |= ARES_NI_NUMERICHOST;
  if (number_service) flags |= ARES_NI_NUMERICSERV;
  if (required) flags |= ARES_NI_NAMEREQD;
  if (datagram) flags |= ARES_NI_DGRAM;
  ares_getnameinfo(
      channel, address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in),
      flags, done, question);
}

/// Has a channel read and write sockets, and look at its time limits. -1 is no socket.
static inline void cares_process(ares_channel channel, int readable, int writable) {
  ares_process_fd(channel, readable < 0 ? ARES_SOCKET_BAD : readable, writable < 0 ? ARES_SOCKET_BAD : writable);
}

/// Milliseconds until the next time limit, rounded up; -1 if there is none.
static inline int64_t cares_time_left(ares_channel channel) {
  struct timeval left;
  if (!ares_timeout(channel, NULL, &left)) return -1;
  return (int64_t)left.tv_sec * 1000 + (left.tv_usec + 999) / 1000;
}

/// When a file was last changed, as one number: another file, or the same after a change, has another one.
static inline uint64_t cares_file_version(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  const uint64_t prime = 0x100000001b3;
#ifdef __APPLE__
  const struct timespec changed = status.st_ctimespec;
#else
  const struct timespec changed = status.st_ctim;
#endif
  const uint64_t parts[] = {
      (uint64_t)changed.tv_sec, (uint64_t)changed.tv_nsec, (uint64_t)status.st_ino, (uint64_t)status.st_size};
  uint64_t version = 0xcbf29ce484222325;
  for (int i = 0; i < 4; i++) version = (version ^ parts[i]) * prime;
  return version;
}

#pragma GCC diagnostic pop
#endif
