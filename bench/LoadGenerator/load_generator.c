#include "load_generator.h"

#include "bench_support.h"

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static double number(const char *line, const char *key) {
  const char *at = strstr(line, key);
  return at == NULL ? 0 : strtod(at + strlen(key), NULL);
}

static uint64_t integer(const char *line, const char *key) {
  const char *at = strstr(line, key);
  return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 10);
}

/// Reads `port=1234` or `port=1234,1235`.
static void read_ports(struct session *session, const char *line) {
  const char *at = strstr(line, " port=");
  session->port_count = 0;
  session->connected = 0;
  if (at == NULL) return;
  at += strlen(" port=");
  for (char *end; session->port_count < SESSION_PORTS; at = end + 1) {
    unsigned long port = strtoul(at, &end, 10);
    if (end == at || port == 0 || port > UINT16_MAX) return;
    session->ports[session->port_count++] = (uint16_t)port;
    if (*end != ',') return;
  }
}

/// Reads `path=…`, which comes last, since there may be anything in it.
static void read_path(struct session *session, const char *line) {
  const char *at = strstr(line, " path=");
  memset(session->path, 0, sizeof session->path);
  if (at == NULL) return;
  at += strlen(" path=");
  size_t count = strcspn(at, "\n");
  if (count < sizeof session->path) memcpy(session->path, at, count);
}

/// Makes the request: the benchmark's own, or one for ` target=` from the host ` authority=`.
static int make_request(struct session *session, const char *line) {
  const char *target = strstr(line, " target="), *authority = strstr(line, " authority=");
  int length;
  if (target == NULL || authority == NULL) {
    length = snprintf(session->request, sizeof session->request, "%s", bench_http_request);
  } else {
    target += strlen(" target=");
    authority += strlen(" authority=");
    length = snprintf(
        session->request, sizeof session->request,
        "GET %.*s HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: uvbench\r\nAccept: */*\r\n\r\n",
        (int)strcspn(target, " \n"), target, (int)strcspn(authority, " \n"), authority);
  }
  if ((size_t)length >= sizeof session->request) return session_fail(session, "the target is too long", 0);
  session->request_count = (uint32_t)length;
  const char *list = strstr(line, " requests=");
  requests_end(&session->list);
  if (list != NULL && requests_read(&session->list, list + strlen(" requests=")) < 0) {
    return session_fail(session, "the list of requests isn't one", 0);
  }
  return 0;
}

static int run(struct session *session, const char *line) {
  read_ports(session, line);
  // Somebody on another machine has no business with the files of this one.
  if (!session->is_elsewhere) read_path(session, line);
  session->connections = (uint32_t)integer(line, " connections=");
  session->size = (uint32_t)integer(line, " size=");
  session->operations = integer(line, " operations=");
  session->warmup = integer(line, " warmup=");
  session->seed = integer(line, " seed=");
  session->rate = number(line, " rate=");
  session->poisson = (int)integer(line, " poisson=");
  session->silent = (int)integer(line, " silent=");
  session->resumes = (int)integer(line, " resumes=");
  session->is_resp = strstr(line, " mode=resp") != NULL;
  session->sets = (uint32_t)integer(line, " sets=");
  int is_echo = strstr(line, " mode=http") == NULL && !session->is_resp;
  uint32_t pipelined = (uint32_t)integer(line, " pipelined=");
  session->pipelined = is_echo ? 0 : pipelined == 0 ? 1 : pipelined;
  session->in_turn = strstr(line, " mode=turns") != NULL || strstr(line, " mode=http-turns") != NULL;
  session->slow = (uint32_t)integer(line, " slow=");
  session->wants_greedy = (int)integer(line, " greedy=");
  session->wants_jobs = strstr(line, " mode=jobs") != NULL;
  session->is_udp = strstr(line, " transport=udp") != NULL;
  session->is_foreign = (int)integer(line, " foreign=");
  session->error[0] = 0;
  memset(&session->answers, 0, sizeof session->answers);
  bench_pin_thread((int)number(line, " cpu="));
  session_reset(session);
  if (session->pipelined > BENCH_HTTP_PIPELINED) return session_fail(session, "pipelined must be at most 16", 0);
  if (session->connections == 0 || session->size == 0 || (session->port_count == 0 && session->path[0] == 0)) {
    return session_fail(session, "port (or path), connections and size must be positive", 0);
  }
  if (make_request(session, line) < 0) return -1;
  if (session->is_resp && session->size > BENCH_RESP_VALUE) {
    return session_fail(session, "size must be at most 4000", 0);
  }
  if (session->slow >= session->connections || (session->slow > 0 && session->size < sizeof(uint64_t))) {
    return session_fail(session, "slow must be less than connections, and size at least 8", 0);
  }
  session->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (session->epoll < 0) return session_fail(session, "epoll_create1", errno);
  int result = -1;
  if (integer(line, " tls=") != 0 && secure_begin(session) < 0) {
    // It has said why.
  } else if (!is_echo || session->in_turn || strstr(line, " mode=echo") != NULL) {
    result = run_echo(session);
  } else if (session->wants_jobs) {
    result = run_jobs(session);
  } else if (strstr(line, " mode=fan-out") != NULL) {
    result = run_fan_out(session);
  } else if (strstr(line, " mode=accept") != NULL) {
    result = run_accept(session);
  } else if (strstr(line, " mode=stream") != NULL) {
    result = run_stream(session);
  } else {
    session_fail(session, "unknown mode", 0);
  }
  secure_end(session);
  close(session->epoll);
  return result;
}

int load_generator_main(int argc, char **argv) {
  if (argc < 2) return 2;
  bench_die_with_parent((pid_t)atoi(argv[1]));
  bench_raise_descriptor_limit();
  struct session session = {0};
  session.latencies = bench_latency_create();
  session.service = bench_latency_create();
  if (session.latencies == NULL || session.service == NULL) return 1;
  session.is_elsewhere = argc > 2;
  int found = session_find_host(&session, argc > 2 ? argv[2] : "127.0.0.1");
  // A list of requests may make it long.
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    if (found == 0 && run(&session, line) == 0) continue;
    printf("error %s\n", session.error);
    fflush(stdout);
  }
  free(line);
  requests_end(&session.list);
  bench_latency_destroy(session.latencies);
  bench_latency_destroy(session.service);
  return 0;
}
#else
#include <stdio.h>

int load_generator_main(int argc, char **argv) {
  (void)argc;
  (void)argv;
  printf("error the load generator is written on epoll and runs on Linux only\n");
  return 1;
}
#endif
