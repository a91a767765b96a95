// Requests whose answer is the same bytes, or those of HTTP or RESP. Closed loop: every connection
// has one request under way, or some of the latter, which are sent together, or connections have their turns. Open loop:
// requests start when they are due, whatever has come back; one that finds no idle
// connection waits, and its wait counts.

#ifdef __linux__
#include "http_answers.h"
#include "resp_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { EVENTS = 256, READ = 65536 };

struct client {
  int fd;
  /// How many requests are under way.
  uint32_t busy;
  uint64_t index;
  const char *bytes;
  uint32_t count;
  uint32_t sent, received;
  uint64_t intended_ns, started_ns;
  struct client *next_idle;
  /// Whether a request was answered since it connected.
  int was_answered;
  struct http_answers answers;
  struct resp_client resp;
};

struct echo {
  struct session *session;
  struct client *clients;
  struct client *idle;
  char *payload;
  struct arrivals arrivals;
  uint64_t issued, total;
  /// RESP: how many requests in a hundred set a key: all of them while it warms up.
  uint32_t sets;
  char buffer[READ];
};

static int push(struct echo *echo, struct client *client) {
  ssize_t sent = session_write(
      echo->session, client->fd, client->bytes + client->sent, client->count - client->sent);
  if (sent < 0) return -1;
  client->sent += (uint32_t)sent;
  return 0;
}

static int issue(struct echo *echo, struct client *client, uint64_t intended_ns, uint64_t now) {
  struct session *session = echo->session;
  client->index = echo->issued;
  client->sent = client->received = 0;
  if (session->pipelined == 0) {
    client->bytes = echo->payload + bench_mix(session->seed ^ client->index) % SESSION_SPARE;
    client->count = session->size;
    client->busy = 1;
  } else {
    uint64_t left = echo->total - echo->issued;
    client->bytes = echo->payload;
    client->busy = left < session->pipelined ? (uint32_t)left : session->pipelined;
    client->count = client->busy * session->request_count;
    if (session->list.count > 0) {
      const struct requests *list = &session->list;
      uint32_t place = (uint32_t)(client->index % list->count);
      client->busy = 1;
      client->bytes = list->bytes + list->starts[place];
      client->count = list->starts[place + 1] - list->starts[place];
    } else if (session->is_resp) {
      client->count = (uint32_t)resp_client_ask(
          &client->resp, session, (uint64_t)(client - echo->clients), echo->payload, echo->issued, client->busy,
          echo->sets);
      client->bytes = client->resp.requests;
      if (client->count == 0) return session_fail(session, "out of memory", 0);
    }
  }
  echo->issued += client->busy;
  client->started_ns = now;
  client->intended_ns = intended_ns;
  return push(echo, client);
}

/// Starts what is due on the connections that are idle.
static int issue_due(struct echo *echo) {
  while (echo->idle != NULL && echo->issued < echo->total) {
    uint64_t now = bench_now_ns();
    if (!arrivals_is_due(&echo->arrivals, now)) return 0;
    struct client *client = echo->idle;
    echo->idle = client->next_idle;
    if (issue(echo, client, (uint64_t)echo->arrivals.due_ns, now) < 0) return -1;
    for (uint32_t i = 0; i < client->busy; i++) arrivals_advance(&echo->arrivals);
  }
  return 0;
}

/// Notes that so many requests of the connection have been answered, and begins the next when all have.
static int complete(struct echo *echo, struct client *client, uint32_t answered, int open) {
  struct session *session = echo->session;
  uint64_t now = bench_now_ns();
  for (uint32_t i = 0; i < answered; i++) {
    bench_latency_record(session->latencies, now - client->intended_ns);
    if (open) bench_latency_record(session->service, now - client->started_ns);
    uint64_t place = session->pipelined > 0 ? 0 : (uint64_t)(client->bytes - echo->payload);
    session->checksum += bench_share(client->index++, place);
  }
  session->completed += answered;
  client->busy -= answered;
  client->was_answered = 1;
  if (client->busy > 0) return 0;
  if (open) {
    client->next_idle = echo->idle;
    echo->idle = client;
    return 0;
  }
  if (session->in_turn) client = &echo->clients[echo->issued % session->connections];
  return echo->issued < echo->total ? issue(echo, client, now, now) : 0;
}

/// Takes what came of an echo. 1 when that was all of it, zero when more has to come, -1 after an error.
static int take(struct echo *echo, struct client *client, size_t count) {
  if (memcmp(echo->buffer, client->bytes + client->received, count) != 0) {
    return session_fail(echo->session, "the bytes that came back are not those sent", 0);
  }
  client->received += (uint32_t)count;
  return client->received == echo->session->size;
}

static int connect_client(struct echo *echo, struct client *client) {
  int fd = session_connect_and_wait(echo->session);
  if (fd < 0) return -1;
  client->fd = fd;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = client};
  return epoll_ctl(echo->session->epoll, EPOLL_CTL_ADD, fd, &event);
}

/// The server has closed a connection. Many do that after so many answers; what is left is asked for on another one.
static int reconnect(struct echo *echo, struct client *client) {
  struct session *session = echo->session;
  if (!session->is_foreign || session->pipelined == 0 || session->is_resp ||
      http_answers_is_amid(&client->answers)) {
    return session_fail(session, "the server closed a connection early", 0);
  }
  if (!client->was_answered) return session_fail(session, "the server closed a connection without an answer", 0);
  session_end(session, client->fd);
  client->fd = -1;
  client->was_answered = 0;
  client->sent = 0;
  // One of a list is under way by itself, and is sent again.
  if (session->list.count == 0) client->count = client->busy * session->request_count;
  if (connect_client(echo, client) < 0) return -1;
  return push(echo, client);
}

static int receive(struct echo *echo, struct client *client, int open) {
  struct session *session = echo->session;
  int is_echo = session->pipelined == 0;
  while (client->busy > 0) {
    uint32_t left = !is_echo ? READ : session->size - client->received;
    ssize_t got = session_read(session, client->fd, echo->buffer, left < READ ? left : READ);
    if (got == -1) return 0;
    if (got == 0) return reconnect(echo, client);
    if (got < 0) return -1;
    int answered = is_echo            ? take(echo, client, (size_t)got)
                   : session->is_resp ? resp_client_take(&client->resp, session, echo->buffer, (size_t)got)
                                      : http_answers_take(&client->answers, session, echo->buffer, (size_t)got, client->busy);
    if (answered < 0) return -1;
    if (answered > 0 && complete(echo, client, (uint32_t)answered, open) < 0) return -1;
    // The answer to the next message is an event of its own.
    if (answered > 0 && (is_echo || client->busy == 0)) return 0;
  }
  // A server may send tickets of TLS at any time.
  ssize_t more = session_read(session, client->fd, echo->buffer, READ);
  if (more == -1) return 0;
  if (more == 0 && session->is_foreign) return reconnect(echo, client);
  return session_fail(session, "bytes came back that were not asked for, or the server closed", 0);
}

static int phase(struct echo *echo, uint64_t total, int open) {
  struct session *session = echo->session;
  session_reset(session);
  echo->issued = 0;
  echo->total = total;
  echo->idle = NULL;
  uint64_t start = bench_now_ns();
  arrivals_begin(&echo->arrivals, start);
  for (uint32_t i = 0; i < session->connections; i++) {
    struct client *client = &echo->clients[i];
    if (open) {
      client->next_idle = echo->idle;
      echo->idle = client;
    } else if (session->in_turn && i > 0) {
      break;
    } else if (echo->issued < total && issue(echo, client, start, start) < 0) {
      return -1;
    }
  }
  struct epoll_event events[EVENTS];
  while (session->completed < total) {
    if (open && issue_due(echo) < 0) return -1;
    int count = epoll_wait(session->epoll, events, EVENTS, 10000);
    if (count < 0 && errno != EINTR) return session_fail(session, "epoll_wait", errno);
    if (count == 0) return session_fail(session, "the server was silent for ten seconds", 0);
    for (int i = 0; i < count; i++) {
      if (session->greedy != NULL && events[i].data.ptr == session->greedy) {
        if (greedy_step(session, events[i].events) < 0) return -1;
        continue;
      }
      struct client *client = events[i].data.ptr;
      if (client == NULL) {
        arrivals_read(&echo->arrivals);
        continue;
      }
      if (client->busy && client->sent < client->count && push(echo, client) < 0) return -1;
      if ((events[i].events & ~(uint32_t)EPOLLOUT) == 0) continue;
      if (receive(echo, client, open) < 0) return -1;
    }
  }
  return 0;
}

static int prepare(struct echo *echo) {
  struct session *session = echo->session;
  if (session->pipelined == 0 || session->is_resp) {
    bench_fill(echo->payload, (size_t)session->size + SESSION_SPARE, session->seed);
  } else {
    for (uint32_t i = 0; i < session->pipelined; i++) {
      memcpy(echo->payload + i * session->request_count, session->request, session->request_count);
    }
    session->body = echo->payload + BENCH_HTTP_PIPELINED * session->request_count;
    for (uint32_t i = 0; i < session->size; i++) session->body[i] = bench_http_body(i);
  }
  for (uint32_t i = 0; i < session->connections; i++) {
    if (connect_client(echo, &echo->clients[i]) < 0) return -1;
  }
  if (arrivals_open(&echo->arrivals, session) < 0) return -1;
  return session->wants_greedy ? greedy_begin(session) : 0;
}

int run_echo(struct session *session) {
  struct echo *echo = calloc(1, sizeof *echo);
  if (echo == NULL) return session_fail(session, "out of memory", 0);
  echo->session = session;
  echo->arrivals.timer = -1;
  echo->clients = calloc(session->connections, sizeof *echo->clients);
  echo->payload = malloc((size_t)session->size + SESSION_SPARE + 8);
  int result = -1;
  if (echo->clients == NULL || echo->payload == NULL) {
    session_fail(session, "out of memory", 0);
  } else {
    for (uint32_t i = 0; i < session->connections; i++) echo->clients[i].fd = -1;
    echo->sets = 100;
    result = prepare(echo);
    if (result == 0) result = phase(echo, session->warmup, 0);
    echo->sets = session->sets;
    if (result == 0) result = session_rendezvous(session);
    if (result == 0 && session->wants_greedy) result = greedy_run(session, 1);
    if (result == 0) result = phase(echo, session->operations, session->rate > 0);
    if (result == 0 && session->wants_greedy) result = greedy_run(session, 0);
    if (result == 0) result = session_report(session);
    greedy_end(session);
    for (uint32_t i = 0; i < session->connections; i++) {
      if (echo->clients[i].fd >= 0) session_end(session, echo->clients[i].fd);
      resp_client_end(&echo->clients[i].resp);
    }
  }
  arrivals_close(&echo->arrivals);
  free(echo->clients);
  free(echo->payload);
  free(echo);
  return result;
}
#endif
