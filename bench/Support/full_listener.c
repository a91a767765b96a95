#include "bench_full_listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// The system lets one more wait than it was asked for.
enum { BACKLOG = 1 };

int bench_full_listener_open(struct bench_full_listener *full) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  *full = (struct bench_full_listener){.listener = socket(AF_INET, SOCK_STREAM, 0), .waiting = {-1, -1}};
  int failed = full->listener < 0 || bind(full->listener, (struct sockaddr *)&address, length) < 0 ||
               listen(full->listener, BACKLOG) < 0 ||
               getsockname(full->listener, (struct sockaddr *)&address, &length) < 0;
  for (int i = 0; i <= BACKLOG && !failed; i++) {
    full->waiting[i] = socket(AF_INET, SOCK_STREAM, 0);
    failed = full->waiting[i] < 0 || connect(full->waiting[i], (struct sockaddr *)&address, length) < 0;
  }
  full->port = ntohs(address.sin_port);
  if (!failed) return 0;
  int error = errno;
  bench_full_listener_close(full);
  return error;
}

void bench_full_listener_close(struct bench_full_listener *full) {
  for (int i = 0; i <= BACKLOG; i++) {
    if (full->waiting[i] >= 0) close(full->waiting[i]);
  }
  if (full->listener >= 0) close(full->listener);
}
