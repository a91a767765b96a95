#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Zero, or an `errno`.
static int connect_within(int fd, const struct addrinfo *address, int milliseconds) {
  int flags = fcntl(fd, F_GETFL), on = 1, error = 0;
  socklen_t length = sizeof error;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
    if (errno != EINPROGRESS) return errno;
    struct pollfd writable = {.fd = fd, .events = POLLOUT};
    if (poll(&writable, 1, milliseconds) != 1) return ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return errno;
  }
  fcntl(fd, F_SETFL, flags);
  return error;
}

int bench_connect(
    const char *host, uint16_t port, int milliseconds, char local[BENCH_HOST], char *failure, size_t count) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  int error = getaddrinfo(host, service, &hints, &found);
  if (error != 0) {
    snprintf(failure, count, "%s", gai_strerror(error));
    return -1;
  }
  int fd = -1;
  for (struct addrinfo *address = found; address != NULL && fd < 0; address = address->ai_next) {
    fd = socket(address->ai_family, SOCK_STREAM, 0);
    error = fd < 0 ? errno : connect_within(fd, address, milliseconds);
    if (error == 0 || fd < 0) continue;
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  if (fd < 0) {
    snprintf(failure, count, "%s", strerror(error));
    return -1;
  }
  struct sockaddr_storage name;
  socklen_t length = sizeof name;
  if (getsockname(fd, (struct sockaddr *)&name, &length) == 0 &&
      getnameinfo((struct sockaddr *)&name, length, local, BENCH_HOST, NULL, 0, NI_NUMERICHOST) == 0) {
    return fd;
  }
  snprintf(failure, count, "the address of this side is unknown");
  close(fd);
  return -1;
}
