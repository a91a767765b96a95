// Jobs, of which many may be under way on a connection. Closed loop: one on each. Open loop: a job is asked for when it
// is due, whatever has come back, on one connection after the other. An answer says which request it belongs to.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum {
  EVENTS = 256,
  READ = 65536,
  /// How many jobs there are to choose from: their results are known beforehand.
  KINDS = 64,
  /// An answer that came later after it was due is of no use any more.
  DEADLINE_NS = 50000000,
};

struct request {
  /// Zero once it is answered.
  uint64_t due_ns;
  uint64_t sent_ns;
  struct client *client;
};

struct client {
  int fd;
  /// Requests that the system has no room for.
  char *rest;
  size_t rest_count, rest_capacity;
  /// The beginning of an answer.
  char part[BENCH_JOB];
  size_t part_count;
};

struct jobs {
  struct session *session;
  struct client *clients;
  struct request *requests;
  struct arrivals arrivals;
  uint64_t issued, total;
  struct bench_job question;
  uint64_t values[KINDS], results[KINDS];
  char buffer[READ];
};

static int flush(struct session *session, struct client *client) {
  if (client->rest_count == 0) return 0;
  ssize_t sent = session_write(session, client->fd, client->rest, client->rest_count);
  if (sent < 0) return -1;
  client->rest_count -= (size_t)sent;
  memmove(client->rest, client->rest + sent, client->rest_count);
  return 0;
}

/// Sends bytes now or, in their order, when there is room.
static int put(struct session *session, struct client *client, const void *bytes, size_t count) {
  ssize_t sent = client->rest_count > 0 ? 0 : session_write(session, client->fd, bytes, count);
  if (sent < 0) return -1;
  size_t left = count - (size_t)sent;
  if (left == 0) return 0;
  if (client->rest_count + left > client->rest_capacity) {
    size_t capacity = 2 * client->rest_capacity + count;
    char *rest = realloc(client->rest, capacity);
    if (rest == NULL) return session_fail(session, "out of memory", 0);
    client->rest = rest;
    client->rest_capacity = capacity;
  }
  memcpy(client->rest + client->rest_count, (const char *)bytes + sent, left);
  client->rest_count += left;
  return 0;
}

static int issue(struct jobs *jobs, struct client *client, uint64_t due_ns, uint64_t now) {
  jobs->requests[jobs->issued] = (struct request){.due_ns = due_ns, .sent_ns = now, .client = client};
  jobs->question.index = jobs->issued;
  jobs->question.value = jobs->values[jobs->issued % KINDS];
  jobs->issued++;
  return put(jobs->session, client, &jobs->question, sizeof jobs->question);
}

static int issue_due(struct jobs *jobs) {
  while (jobs->issued < jobs->total) {
    uint64_t now = bench_now_ns();
    if (!arrivals_is_due(&jobs->arrivals, now)) return 0;
    struct client *client = &jobs->clients[jobs->issued % jobs->session->connections];
    if (issue(jobs, client, (uint64_t)jobs->arrivals.due_ns, now) < 0) return -1;
    arrivals_advance(&jobs->arrivals);
  }
  return 0;
}

/// Checks an answer and counts it. The checksum doesn't depend on whether there was work: that is a matter of time.
static int take(struct jobs *jobs, struct client *client, const struct bench_job *answer, int open) {
  struct session *session = jobs->session;
  struct request *request = answer->index < jobs->issued ? &jobs->requests[answer->index] : NULL;
  if (request == NULL || request->due_ns == 0 || request->client != client) {
    return session_fail(session, "an answer came that nobody waits for", 0);
  }
  uint64_t result = jobs->results[answer->index % KINDS], now = bench_now_ns();
  if (memcmp(answer->payload, jobs->question.payload, sizeof answer->payload) != 0 ||
      (answer->value != result && answer->value != BENCH_JOB_BUSY)) {
    return session_fail(session, "an answer is wrong", 0);
  }
  if (answer->value == BENCH_JOB_BUSY) {
    session->busy++;
  } else {
    uint64_t took = now - request->due_ns;
    bench_latency_record(session->latencies, took);
    if (open) bench_latency_record(session->service, now - request->sent_ns);
    if (took <= DEADLINE_NS) session->in_time++;
    else session->late++;
  }
  session->checksum += bench_share(answer->index, result);
  session->completed++;
  request->due_ns = 0;
  return !open && jobs->issued < jobs->total ? issue(jobs, client, now, now) : 0;
}

static int receive(struct jobs *jobs, struct client *client, int open) {
  while (1) {
    ssize_t got = session_read(jobs->session, client->fd, jobs->buffer, READ);
    if (got == -1) return 0;
    if (got == 0) return session_fail(jobs->session, "the server closed a connection early", 0);
    if (got < 0) return -1;
    for (const char *at = jobs->buffer, *end = at + got; at < end;) {
      size_t part = BENCH_JOB - client->part_count;
      if (part > (size_t)(end - at)) part = (size_t)(end - at);
      memcpy(client->part + client->part_count, at, part);
      client->part_count += part;
      at += part;
      if (client->part_count < BENCH_JOB) break;
      client->part_count = 0;
      struct bench_job answer;
      memcpy(&answer, client->part, sizeof answer);
      if (take(jobs, client, &answer, open) < 0) return -1;
    }
  }
}

static int phase(struct jobs *jobs, uint64_t total, int open) {
  struct session *session = jobs->session;
  session_reset(session);
  jobs->issued = 0;
  jobs->total = total;
  uint64_t start = bench_now_ns();
  arrivals_begin(&jobs->arrivals, start);
  for (uint32_t i = 0; !open && i < session->connections && jobs->issued < total; i++) {
    if (issue(jobs, &jobs->clients[i], start, start) < 0) return -1;
  }
  struct epoll_event events[EVENTS];
  while (session->completed < total) {
    if (open && issue_due(jobs) < 0) return -1;
    int count = epoll_wait(session->epoll, events, EVENTS, 10000);
    if (count < 0 && errno != EINTR) return session_fail(session, "epoll_wait", errno);
    if (count == 0) return session_fail(session, "the server was silent for ten seconds", 0);
    for (int i = 0; i < count; i++) {
      struct client *client = events[i].data.ptr;
      if (client == NULL) {
        arrivals_read(&jobs->arrivals);
      } else if (flush(session, client) < 0 || receive(jobs, client, open) < 0) {
        return -1;
      }
    }
  }
  return 0;
}

static int prepare(struct jobs *jobs) {
  struct session *session = jobs->session;
  bench_fill(jobs->question.payload, sizeof jobs->question.payload, session->seed);
  for (uint32_t i = 0; i < KINDS; i++) {
    jobs->values[i] = bench_mix(session->seed + i);
    jobs->results[i] = bench_job_do(jobs->values[i]);
  }
  for (uint32_t i = 0; i < session->connections; i++) {
    int fd = session_connect_and_wait(session);
    if (fd < 0) return -1;
    jobs->clients[i].fd = fd;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = &jobs->clients[i]};
    epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event);
  }
  return arrivals_open(&jobs->arrivals, session);
}

int run_jobs(struct session *session) {
  struct jobs *jobs = calloc(1, sizeof *jobs);
  if (jobs == NULL) return session_fail(session, "out of memory", 0);
  uint64_t most = session->warmup > session->operations ? session->warmup : session->operations;
  jobs->session = session;
  jobs->arrivals.timer = -1;
  jobs->clients = calloc(session->connections, sizeof *jobs->clients);
  jobs->requests = calloc(most, sizeof *jobs->requests);
  int result = -1;
  if (jobs->clients == NULL || jobs->requests == NULL) {
    session_fail(session, "out of memory", 0);
  } else {
    for (uint32_t i = 0; i < session->connections; i++) jobs->clients[i].fd = -1;
    result = prepare(jobs);
    if (result == 0) result = phase(jobs, session->warmup, 0);
    if (result == 0) result = session_rendezvous(session);
    if (result == 0) result = phase(jobs, session->operations, session->rate > 0);
    if (result == 0) result = session_report(session);
    for (uint32_t i = 0; i < session->connections; i++) {
      if (jobs->clients[i].fd >= 0) session_end(session, jobs->clients[i].fd);
      free(jobs->clients[i].rest);
    }
  }
  arrivals_close(&jobs->arrivals);
  free(jobs->requests);
  free(jobs->clients);
  free(jobs);
  return result;
}
#endif
