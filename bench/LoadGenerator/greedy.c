// A connection that never stops asking: it sends as much as it may and takes what comes back, beside the others. It does
// one slice at a time, so that the others don't wait for this program.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { SLICE = 65536 };

struct greedy {
  int fd;
  uint64_t received;
  char out[SLICE], in[SLICE];
};

int greedy_begin(struct session *session) {
  struct greedy *greedy = calloc(1, sizeof *greedy);
  if (greedy == NULL) return session_fail(session, "out of memory", 0);
  session->greedy = greedy;
  session->greedy_bytes = 0;
  bench_fill(greedy->out, SLICE, session->seed + 1);
  greedy->fd = session_connect_and_wait(session);
  return greedy->fd < 0 ? -1 : 0;
}

int greedy_run(struct session *session, int runs) {
  struct greedy *greedy = session->greedy;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = greedy};
  int error = epoll_ctl(session->epoll, runs ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, greedy->fd, &event);
  return error < 0 ? session_fail(session, "epoll_ctl", errno) : 0;
}

static int receive(struct session *session, struct greedy *greedy) {
  size_t at = greedy->received % SLICE;
  ssize_t got = session_read(session, greedy->fd, greedy->in, SLICE - at);
  if (got == -1) return 0;
  if (got == 0) return session_fail(session, "the server closed a connection early", 0);
  if (got < 0) return -1;
  if (memcmp(greedy->in, greedy->out + at, (size_t)got) != 0) {
    return session_fail(session, "the bytes that came back are not those sent", 0);
  }
  greedy->received += (uint64_t)got;
  return 0;
}

int greedy_step(struct session *session, uint32_t events) {
  struct greedy *greedy = session->greedy;
  if (events & EPOLLOUT) {
    size_t at = session->greedy_bytes % SLICE;
    ssize_t sent = session_write(session, greedy->fd, greedy->out + at, SLICE - at);
    if (sent < 0) return -1;
    session->greedy_bytes += (uint64_t)sent;
  }
  return events & EPOLLIN ? receive(session, greedy) : 0;
}

void greedy_end(struct session *session) {
  struct greedy *greedy = session->greedy;
  if (greedy == NULL) return;
  session->greedy = NULL;
  if (greedy->fd >= 0) {
    // All of it comes back, or the server is wrong; it counts the bytes, too.
    struct pollfd readable = {.fd = greedy->fd, .events = POLLIN};
    while (greedy->received < session->greedy_bytes && poll(&readable, 1, 10000) == 1) {
      if (receive(session, greedy) < 0) break;
    }
    session_end(session, greedy->fd);
  }
  free(greedy);
}
#endif
