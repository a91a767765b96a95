// One connection, the last, sends messages, and each gets them. The next is sent when all have got one. In the run the first
// connections, the slow ones, read nothing; then they read what there is, and must hear how much they have missed.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { EVENTS = 256 };

struct listener {
  int fd;
  /// Messages that have come or that were missed, and bytes of the next.
  uint64_t heard;
  size_t received;
  /// Of a slow one, what has come of a message.
  char *part;
};

struct crowd {
  struct session *session;
  struct listener *listeners;
  char *payload;
  /// The message under way, and how much of it is sent.
  char *message;
  size_t sent;
  uint64_t said, started_ns;
  /// How many are still to get it.
  uint32_t missing;
  char *buffer;
};

/// Makes message `index`.
static void make(struct crowd *crowd, uint64_t index, char *bytes) {
  memcpy(bytes, crowd->payload + bench_mix(crowd->session->seed ^ index) % SESSION_SPARE, crowd->session->size);
  memcpy(bytes, &index, sizeof index);
}

static int push(struct crowd *crowd) {
  struct session *session = crowd->session;
  if (crowd->sent == session->size) return 0;
  int speaker = crowd->listeners[session->connections - 1].fd;
  ssize_t sent = session_write(session, speaker, crowd->message + crowd->sent, session->size - crowd->sent);
  if (sent < 0) return -1;
  crowd->sent += (size_t)sent;
  return 0;
}

/// Reads at most what is missing of a message into `bytes`. 1 when it is complete, zero when not, -1 after an error.
static int fill(struct crowd *crowd, struct listener *listener, char *bytes) {
  struct session *session = crowd->session;
  ssize_t got = session_read(session, listener->fd, bytes + listener->received, session->size - listener->received);
  if (got == -1) return 0;
  if (got == 0) return session_fail(session, "the server closed a connection early", 0);
  if (got < 0) return -1;
  listener->received += (size_t)got;
  if (listener->received < session->size) return 0;
  listener->received = 0;
  return 1;
}

/// Takes what came of the message under way.
static int hear(struct crowd *crowd, struct listener *listener) {
  struct session *session = crowd->session;
  size_t before = listener->received;
  int complete = fill(crowd, listener, crowd->buffer);
  if (complete < 0) return -1;
  size_t end = complete ? session->size : listener->received;
  if (memcmp(crowd->buffer + before, crowd->message + before, end - before) != 0 || listener->heard == crowd->said) {
    if (end > before) return session_fail(session, "the bytes that came are not those said", 0);
  }
  if (!complete) return 0;
  listener->heard++;
  crowd->missing--;
  bench_latency_record(session->latencies, bench_now_ns() - crowd->started_ns);
  return 0;
}

/// Says `count` messages, each when all but the first `slow` have got the one before.
static int phase(struct crowd *crowd, uint64_t count, uint32_t slow) {
  struct session *session = crowd->session;
  struct epoll_event events[EVENTS];
  session_reset(session);
  for (uint64_t i = 0; i < count; i++) {
    make(crowd, crowd->said, crowd->message);
    crowd->sent = 0;
    crowd->missing = session->connections - slow;
    crowd->started_ns = bench_now_ns();
    crowd->said++;
    if (push(crowd) < 0) return -1;
    while (crowd->missing > 0) {
      int ready = epoll_wait(session->epoll, events, EVENTS, crowd->sent < session->size ? 1 : 10000);
      if (ready < 0 && errno != EINTR) return session_fail(session, "epoll_wait", errno);
      if (ready == 0 && crowd->sent == session->size) return session_fail(session, "the server was silent for ten seconds", 0);
      if (push(crowd) < 0) return -1;
      for (int k = 0; k < ready; k++) {
        if (hear(crowd, events[k].data.ptr) < 0) return -1;
      }
    }
    session->checksum += bench_share(session->completed++, 1);
  }
  return 0;
}

static int watch(struct crowd *crowd, uint32_t count, int operation) {
  struct session *session = crowd->session;
  for (uint32_t i = 0; i < count; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &crowd->listeners[i]};
    if (epoll_ctl(session->epoll, operation, crowd->listeners[i].fd, &event) < 0) {
      return session_fail(session, "epoll_ctl", errno);
    }
  }
  return 0;
}

/// A slow one takes a message, or hears how many it has missed.
static int catch_up(struct crowd *crowd, struct listener *listener) {
  int complete = fill(crowd, listener, listener->part);
  if (complete <= 0) return complete;
  uint64_t head;
  memcpy(&head, listener->part, sizeof head);
  uint64_t missed = bench_fan_out_missed(head);
  listener->heard += missed;
  if (missed > 0) return 0;
  make(crowd, listener->heard++, crowd->buffer);
  if (memcmp(listener->part, crowd->buffer, crowd->session->size) == 0) return 0;
  return session_fail(crowd->session, "what came late is not what was said", 0);
}

/// The slow ones read what there is. One that doesn't get all closes in another way than the others, which the server reports.
static void catch_up_all(struct crowd *crowd, uint32_t slow) {
  struct session *session = crowd->session;
  for (uint32_t i = 0; i < slow; i++) {
    struct listener *listener = &crowd->listeners[i];
    struct pollfd readable = {.fd = listener->fd, .events = POLLIN};
    while (session->error[0] == 0 && listener->heard < crowd->said && poll(&readable, 1, 10000) == 1) {
      if (catch_up(crowd, listener) < 0) break;
    }
    if (listener->heard == crowd->said) continue;
    session_close(session, listener->fd);
    listener->fd = -1;
  }
}

static int prepare(struct crowd *crowd) {
  struct session *session = crowd->session;
  bench_fill(crowd->payload, (size_t)session->size + SESSION_SPARE, session->seed);
  for (uint32_t i = 0; i < session->connections; i++) {
    struct listener *listener = &crowd->listeners[i];
    session->is_slow = i < session->slow;
    listener->fd = session_connect_and_wait(session);
    session->is_slow = 0;
    if (listener->fd < 0) return -1;
    if (i < session->slow && (listener->part = malloc(session->size)) == NULL) {
      return session_fail(session, "out of memory", 0);
    }
  }
  return watch(crowd, session->connections, EPOLL_CTL_ADD);
}

int run_fan_out(struct session *session) {
  struct crowd crowd = {.session = session};
  crowd.listeners = calloc(session->connections, sizeof *crowd.listeners);
  crowd.payload = malloc((size_t)session->size + SESSION_SPARE + 8);
  crowd.message = malloc(session->size);
  crowd.buffer = malloc(session->size);
  int result = -1;
  if (crowd.listeners == NULL || crowd.payload == NULL || crowd.message == NULL || crowd.buffer == NULL) {
    session_fail(session, "out of memory", 0);
  } else {
    for (uint32_t i = 0; i < session->connections; i++) crowd.listeners[i].fd = -1;
    result = prepare(&crowd);
    if (result == 0) result = phase(&crowd, session->warmup, 0);
    if (result == 0) result = watch(&crowd, session->slow, EPOLL_CTL_DEL);
    if (result == 0) result = session_rendezvous(session);
    if (result == 0) result = phase(&crowd, session->operations, session->slow);
    if (result == 0) result = session_report(session);
    if (result == 0) catch_up_all(&crowd, session->slow);
    for (uint32_t i = 0; i < session->connections; i++) {
      if (crowd.listeners[i].fd >= 0) session_end(session, crowd.listeners[i].fd);
      free(crowd.listeners[i].part);
    }
  }
  free(crowd.listeners);
  free(crowd.payload);
  free(crowd.message);
  free(crowd.buffer);
  return result;
}
#endif
