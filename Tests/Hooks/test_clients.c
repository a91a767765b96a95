// The far ends of many connections, in a process of their own: one process may not have descriptors for both
// ends.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test_hooks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/// In the child, which has nothing but what `fork` leaves: no allocation, no lock.
static void connect_for_each_byte(int orders, uint16_t port) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_NOFILE, &limit);
  // What the parent has open is none of its business.
  for (int fd = 3; fd < (int)limit.rlim_cur; fd++) {
    if (fd != orders) close(fd);
  }
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (;;) {
    char bytes[64];
    ssize_t count = read(orders, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);
    while (count-- > 0) {
      int fd = socket(AF_INET, SOCK_STREAM, 0);
      if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) _exit(1);
    }
  }
}

int test_clients_start(uint16_t port, int *process) {
  int ends[2];
  if (pipe(ends) < 0) return -1;
  *process = fork();
  if (*process == 0) connect_for_each_byte(ends[0], port);
  close(ends[0]);
  if (*process > 0) return ends[1];
  close(ends[1]);
  return -1;
}

int test_clients_connect(int orders, int count) {
  char bytes[64] = {0};
  while (count > 0) {
    ssize_t written = write(orders, bytes, count < 64 ? (size_t)count : 64);
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) count -= (int)written;
  }
  return 0;
}

int test_clients_end(int orders, int process) {
  int status;
  close(orders);
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

void test_reap(int process) {
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
}
