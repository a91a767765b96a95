#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int session_fail(struct session *session, const char *what, int code) {
  if (session->error[0] != 0) return -1;
  if (code == 0) {
    snprintf(session->error, sizeof session->error, "%s", what);
  } else {
    snprintf(session->error, sizeof session->error, "%s: %s", what, strerror(code));
  }
  return -1;
}

void session_reset(struct session *session) {
  session->completed = 0;
  session->checksum = 0;
  session->in_time = session->late = session->busy = 0;
  bench_latency_reset(session->latencies);
  bench_latency_reset(session->service);
}

int session_rendezvous(struct session *session) {
  char line[64];
  printf("ready\n");
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL || strncmp(line, "go", 2) != 0) {
    return session_fail(session, "no go", 0);
  }
  return 0;
}

static void print_latencies(const char *name, const struct bench_latency *latencies) {
  printf(" %s=", name);
  const char *separator = "";
  uint32_t last = latencies->total > 0 ? bench_latency_index(latencies->max) : 0;
  for (uint32_t i = 0; i < BENCH_LATENCY_COUNTS; i++) {
    uint64_t count = latencies->counts[i];
    // The largest latency is kept exactly.
    if (i == last && count > 0) {
      printf("%s%" PRIu64 ":1", separator, latencies->max);
      separator = ",";
      count--;
    }
    if (count == 0) continue;
    printf("%s%" PRIu64 ":%" PRIu64, separator, bench_latency_value(i), count);
    separator = ",";
  }
}

int session_report(struct session *session) {
  char line[64];
  printf("done operations=%" PRIu64 " checksum=%" PRIu64, session->completed, session->checksum);
  if (session->silent) bench_latency_reset(session->latencies);
  print_latencies("latencies", session->latencies);
  if (session->rate > 0) print_latencies("service", session->service);
  if (session->wants_greedy) printf(" greedy_bytes=%" PRIu64, session->greedy_bytes);
  if (session->wants_jobs) {
    printf(" in_time=%" PRIu64 " late=%" PRIu64 " busy=%" PRIu64, session->in_time, session->late, session->busy);
  }
  if (session->answers.count > 0) {
    printf(
        " status_low=%" PRIu64 " status_high=%" PRIu64 " length_low=%" PRIu64 " length_high=%" PRIu64 " digest_low=%" PRIu64
        " digest_high=%" PRIu64,
        session->answers.status.low, session->answers.status.high, session->answers.length.low, session->answers.length.high,
        session->answers.digest.low, session->answers.digest.high);
  }
  printf("\n");
  fflush(stdout);
  // The end of the connections is not of the window: it waits until that is closed.
  return fgets(line, sizeof line, stdin) == NULL ? session_fail(session, "no end", 0) : 0;
}

/// Waits for room in the listener's queue, which the Unix domain doesn't do for a non-blocking socket.
static int connect_to_path(struct session *session) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return session_fail(session, "socket", errno);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, session->path, sizeof address.sun_path);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0) return fd;
  session_fail(session, "connect", errno);
  close(fd);
  return -1;
}

int session_find_host(struct session *session, const char *name) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  session->name = name;
  int error = getaddrinfo(name, NULL, &hints, &found);
  if (error != 0) return session_fail(session, gai_strerror(error), 0);
  memcpy(&session->host, found->ai_addr, found->ai_addrlen);
  session->host_length = found->ai_addrlen;
  freeaddrinfo(found);
  return 0;
}

int session_connect(struct session *session) {
  if (session->path[0] != 0) return connect_to_path(session);
  struct sockaddr_storage address = session->host;
  // Both families have the port at the same place.
  ((struct sockaddr_in *)&address)->sin_port = htons(session->ports[session->connected++ % session->port_count]);
  int fd = socket(address.ss_family, (session->is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return session_fail(session, "socket", errno);
  int on = 1;
  if (!session->is_udp) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (session->is_slow) {
    // As far away as Ethernet: on the loopback the kernel itself would hold megabytes for it.
    int segment = 1448, buffer = 4096;
    setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  }
  int error = connect(fd, (struct sockaddr *)&address, session->host_length);
  if (error < 0 && errno != EINPROGRESS) {
    session_fail(session, "connect", errno);
    close(fd);
    return -1;
  }
  if (session->secure == NULL || secure_connect(session, fd) == 0) return fd;
  close(fd);
  return -1;
}

/// Does the handshake of a socket that is connected.
static int greet(struct session *session, int fd) {
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  while (1) {
    int done = secure_handshake(session, fd);
    if (done != 0) return done < 0 ? -1 : 0;
    if (poll(&readable, 1, 10000) != 1) return session_fail(session, "handshake", ETIMEDOUT);
  }
}

int session_connect_and_wait(struct session *session) {
  int fd = session_connect(session);
  if (fd < 0) return -1;
  struct pollfd writable = {.fd = fd, .events = POLLOUT};
  int error = 0;
  socklen_t length = sizeof error;
  if (poll(&writable, 1, 10000) != 1) {
    error = ETIMEDOUT;
  } else {
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  if (error == 0 && (session->secure == NULL || greet(session, fd) == 0)) return fd;
  close(fd);
  return session_fail(session, "connect", error);
}

ssize_t session_read(struct session *session, int fd, void *bytes, size_t count) {
  if (session->secure != NULL) return secure_read(session, fd, bytes, count);
  ssize_t got;
  do {
    got = recv(fd, bytes, count, 0);
  } while (got < 0 && errno == EINTR);
  if (got >= 0) return got;
  if (errno == EAGAIN) return -1;
  // It closed a connection on which a request was under way.
  if (errno == ECONNRESET && session->is_foreign) return 0;
  session_fail(session, "recv", errno);
  return -2;
}

ssize_t session_write(struct session *session, int fd, const void *bytes, size_t count) {
  if (session->secure != NULL) return secure_write(session, fd, bytes, count);
  ssize_t sent;
  do {
    sent = send(fd, bytes, count, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return sent;
  if (errno == EAGAIN) return 0;
  // What comes next to read says the same.
  if ((errno == ECONNRESET || errno == EPIPE) && session->is_foreign) return 0;
  session_fail(session, "send", errno);
  return -2;
}

void session_end(struct session *session, int fd) {
  if (session->is_udp) send(fd, "", 0, MSG_NOSIGNAL);
  if (session->secure != NULL) secure_close(session, fd);
  close(fd);
}

void session_close(struct session *session, int fd) {
  struct linger now = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  session_end(session, fd);
}
#endif
