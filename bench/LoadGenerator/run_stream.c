// A sink: asks each connection for so many writes of `size` bytes, and compares what
// arrives with the seeded payload. The latency of an operation is the time since the
// one before it had arrived on the same connection.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS = 256, READ = 262144 };

struct source {
  int fd;
  uint64_t expected;
  uint64_t received;
  uint64_t last_ns;
};

struct sink {
  struct session *session;
  struct source *sources;
  char *payload;
  uint64_t hash;
  char buffer[READ];
};

static int ask(struct sink *sink, struct source *source, uint64_t writes, uint64_t now) {
  unsigned char request[8];
  for (int k = 0; k < 8; k++) request[k] = (unsigned char)(writes >> (8 * k));
  source->expected = writes * sink->session->size;
  source->received = 0;
  source->last_ns = now;
  if (writes == 0) return 0;
  ssize_t sent = session_write(sink->session, source->fd, request, sizeof request);
  if (sent == sizeof request) return 0;
  return session_fail(sink->session, "a request of eight bytes was not taken whole", 0);
}

static int accept_bytes(struct sink *sink, struct source *source, size_t got) {
  struct session *session = sink->session;
  if (got > source->expected - source->received) {
    return session_fail(session, "more bytes came than were asked for", 0);
  }
  for (size_t at = 0; at < got;) {
    size_t offset = source->received % session->size;
    size_t count = session->size - offset;
    if (count > got - at) count = got - at;
    if (memcmp(sink->buffer + at, sink->payload + offset, count) != 0) {
      return session_fail(session, "the bytes that came are not those expected", 0);
    }
    at += count;
    source->received += count;
    if (source->received % session->size != 0) continue;
    uint64_t now = bench_now_ns();
    bench_latency_record(session->latencies, now - source->last_ns);
    source->last_ns = now;
    session->checksum += bench_share(session->completed++, sink->hash);
  }
  return 0;
}

static int drain(struct sink *sink, struct source *source) {
  while (source->received < source->expected) {
    ssize_t got = session_read(sink->session, source->fd, sink->buffer, READ);
    if (got == -1) return 0;
    if (got == 0) return session_fail(sink->session, "the server closed a connection early", 0);
    if (got < 0 || accept_bytes(sink, source, (size_t)got) < 0) return -1;
  }
  return 0;
}

static int phase(struct sink *sink, uint64_t total) {
  struct session *session = sink->session;
  session_reset(session);
  uint64_t start = bench_now_ns();
  for (uint32_t i = 0; i < session->connections; i++) {
    uint64_t share = total / session->connections + (i < total % session->connections ? 1 : 0);
    if (ask(sink, &sink->sources[i], share, start) < 0) return -1;
  }
  struct epoll_event events[EVENTS];
  while (session->completed < total) {
    int count = epoll_wait(session->epoll, events, EVENTS, 10000);
    if (count < 0 && errno != EINTR) return session_fail(session, "epoll_wait", errno);
    if (count == 0) return session_fail(session, "the server was silent for ten seconds", 0);
    for (int i = 0; i < count; i++) {
      if (drain(sink, events[i].data.ptr) < 0) return -1;
    }
  }
  return 0;
}

static int prepare(struct sink *sink) {
  struct session *session = sink->session;
  bench_fill(sink->payload, session->size, session->seed);
  sink->hash = bench_hash(sink->payload, session->size);
  for (uint32_t i = 0; i < session->connections; i++) {
    sink->sources[i].fd = session_connect_and_wait(session);
    if (sink->sources[i].fd < 0) return -1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &sink->sources[i]};
    epoll_ctl(session->epoll, EPOLL_CTL_ADD, sink->sources[i].fd, &event);
  }
  return 0;
}

int run_stream(struct session *session) {
  struct sink *sink = calloc(1, sizeof *sink);
  if (sink == NULL) return session_fail(session, "out of memory", 0);
  sink->session = session;
  sink->sources = calloc(session->connections, sizeof *sink->sources);
  sink->payload = malloc((size_t)session->size + 8);
  int result = -1;
  if (sink->sources == NULL || sink->payload == NULL) {
    session_fail(session, "out of memory", 0);
  } else {
    for (uint32_t i = 0; i < session->connections; i++) sink->sources[i].fd = -1;
    result = prepare(sink);
    if (result == 0) result = phase(sink, session->warmup);
    if (result == 0) result = session_rendezvous(session);
    if (result == 0) result = phase(sink, session->operations);
    if (result == 0) result = session_report(session);
    for (uint32_t i = 0; i < session->connections; i++) {
      if (sink->sources[i].fd >= 0) session_end(session, sink->sources[i].fd);
    }
  }
  free(sink->sources);
  free(sink->payload);
  free(sink);
  return result;
}
#endif
