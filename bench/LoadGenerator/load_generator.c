#include "load_generator.h"

#include "bench_support.h"

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <inttypes.h>
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

static void print_latencies(const char *name, const struct bench_latency *latencies) {
  printf(" %s=", name);
  const char *separator = "";
  uint32_t last = latencies->total > 0 ? bench_latency_index(latencies->max) : 0;
  for (uint32_t i = 0; i < BENCH_LATENCY_COUNTS; i++) {
    uint64_t count = latencies->counts[i];
    // The largest latency is kept exactly.
    if (i == last && count > 0) {
      printf("%s%" PRIu64 ":1", separator, latencies->max);
      separator = ",";
      count--;
    }
    if (count == 0) continue;
    printf("%s%" PRIu64 ":%" PRIu64, separator, bench_latency_value(i), count);
    separator = ",";
  }
}

static int run(struct session *session, const char *line) {
  session->port = (uint16_t)integer(line, " port=");
  session->connections = (uint32_t)integer(line, " connections=");
  session->size = (uint32_t)integer(line, " size=");
  session->operations = integer(line, " operations=");
  session->warmup = integer(line, " warmup=");
  session->seed = integer(line, " seed=");
  session->rate = number(line, " rate=");
  session->poisson = (int)integer(line, " poisson=");
  session->silent = (int)integer(line, " silent=");
  session->error[0] = 0;
  bench_pin_thread((int)number(line, " cpu="));
  session_reset(session);
  if (session->connections == 0 || session->size == 0 || session->port == 0) {
    return session_fail(session, "port, connections and size must be positive", 0);
  }
  session->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (session->epoll < 0) return session_fail(session, "epoll_create1", errno);
  int result = -1;
  if (strstr(line, " mode=echo") != NULL) {
    result = run_echo(session);
  } else if (strstr(line, " mode=accept") != NULL) {
    result = run_accept(session);
  } else if (strstr(line, " mode=stream") != NULL) {
    result = run_stream(session);
  } else {
    session_fail(session, "unknown mode", 0);
  }
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
  char line[1024];
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (run(&session, line) == 0) {
      printf("done operations=%" PRIu64 " checksum=%" PRIu64 " wall_ns=%" PRIu64, session.completed,
             session.checksum, session.wall_ns);
      if (session.silent) bench_latency_reset(session.latencies);
      print_latencies("latencies", session.latencies);
      if (session.rate > 0) print_latencies("service", session.service);
      printf("\n");
    } else {
      printf("error %s\n", session.error);
    }
    fflush(stdout);
  }
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
