// A connection for each request: connect, send, read the answer and the end of the
// stream, close. So many connections are under way at a time.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS = 256, READ = 65536 };

struct visit {
  int fd;
  uint64_t index;
  const char *bytes;
  uint32_t sent, received;
  uint64_t started_ns;
};

struct visits {
  struct session *session;
  struct visit *visits;
  char *payload;
  uint64_t issued, total;
  char buffer[READ];
};

static int begin(struct visits *all, struct visit *visit) {
  struct session *session = all->session;
  visit->fd = -1;
  if (all->issued == all->total) return 0;
  visit->index = all->issued++;
  visit->bytes = all->payload + bench_mix(session->seed ^ visit->index) % SESSION_SPARE;
  visit->sent = visit->received = 0;
  visit->started_ns = bench_now_ns();
  visit->fd = session_connect(session);
  if (visit->fd < 0) return -1;
  struct epoll_event event = {
      .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = visit};
  if (epoll_ctl(session->epoll, EPOLL_CTL_ADD, visit->fd, &event) < 0) {
    return session_fail(session, "epoll_ctl", errno);
  }
  return 0;
}

static int finish(struct visits *all, struct visit *visit) {
  struct session *session = all->session;
  if (visit->received < session->size) {
    return session_fail(session, "the server closed a connection early", 0);
  }
  session_close(session, visit->fd);
  bench_latency_record(session->latencies, bench_now_ns() - visit->started_ns);
  session->checksum += bench_share(visit->index, (uint64_t)(visit->bytes - all->payload));
  session->completed++;
  return begin(all, visit);
}

static int proceed(struct visits *all, struct visit *visit, uint32_t events) {
  struct session *session = all->session;
  // What makes room to write may be the end of a handshake.
  if (visit->sent < session->size) {
    ssize_t sent = session_write(
        session, visit->fd, visit->bytes + visit->sent, session->size - visit->sent);
    if (sent < 0) return -1;
    visit->sent += (uint32_t)sent;
  }
  if ((events & ~(uint32_t)EPOLLOUT) == 0) return 0;
  while (1) {
    ssize_t got = session_read(session, visit->fd, all->buffer, READ);
    if (got == -1) return 0;
    if (got == 0) return finish(all, visit);
    if (got < 0) return -1;
    if (got > session->size - visit->received ||
        memcmp(all->buffer, visit->bytes + visit->received, (size_t)got) != 0) {
      return session_fail(session, "the bytes that came back are not those sent", 0);
    }
    visit->received += (uint32_t)got;
  }
}

static int phase(struct visits *all, uint64_t total) {
  struct session *session = all->session;
  session_reset(session);
  all->issued = 0;
  all->total = total;
  for (uint32_t i = 0; i < session->connections; i++) {
    if (begin(all, &all->visits[i]) < 0) return -1;
  }
  struct epoll_event events[EVENTS];
  while (session->completed < total) {
    int count = epoll_wait(session->epoll, events, EVENTS, 10000);
    if (count < 0 && errno != EINTR) return session_fail(session, "epoll_wait", errno);
    if (count == 0) return session_fail(session, "the server was silent for ten seconds", 0);
    for (int i = 0; i < count; i++) {
      if (proceed(all, events[i].data.ptr, events[i].events) < 0) return -1;
    }
  }
  return 0;
}

static int wrong_resumptions(struct session *session, uint64_t got, uint64_t asked) {
  char what[120];
  snprintf(what, sizeof what, "%llu of %llu handshakes resumed a session, where %llu should have",
      (unsigned long long)got, (unsigned long long)session->operations, (unsigned long long)asked);
  return session_fail(session, what, 0);
}

int run_accept(struct session *session) {
  struct visits *all = calloc(1, sizeof *all);
  if (all == NULL) return session_fail(session, "out of memory", 0);
  all->session = session;
  all->visits = calloc(session->connections, sizeof *all->visits);
  all->payload = malloc((size_t)session->size + SESSION_SPARE + 8);
  int result = -1;
  if (all->visits == NULL || all->payload == NULL) {
    session_fail(session, "out of memory", 0);
  } else {
    for (uint32_t i = 0; i < session->connections; i++) all->visits[i].fd = -1;
    bench_fill(all->payload, (size_t)session->size + SESSION_SPARE, session->seed);
    result = phase(all, session->warmup);
    if (result == 0) result = session_rendezvous(session);
    if (result == 0 && session->secure != NULL) secure_resumed(session);
    if (result == 0) result = phase(all, session->operations);
    if (result == 0 && session->secure != NULL) {
      uint64_t got = secure_resumed(session);
      uint64_t asked = session->resumes ? session->operations : 0;
      if (got != asked) result = wrong_resumptions(session, got, asked);
    }
    if (result == 0) result = session_report(session);
    for (uint32_t i = 0; i < session->connections; i++) {
      if (all->visits[i].fd >= 0) session_close(session, all->visits[i].fd);
    }
  }
  free(all->visits);
  free(all->payload);
  free(all);
  return result;
}
#endif
