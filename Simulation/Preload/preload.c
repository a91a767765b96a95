// Runs a program that knows nothing of it on the simulated kernel: a library for LD_PRELOAD.
//
//   UVSIM_SEED=7 UVSIM_WEATHER=storm LD_PRELOAD=libuvsim.so python3 server.py
//
//   UVSIM_SEED       where each choice comes from; 1 unless it is set. Without UVSIM_SEED and UVSIM_WEATHER, nothing is simulated.
//   UVSIM_WEATHER    calm, usual or storm
//   UVSIM_CUT        the chance that a read or a write is cut short, between 0 and 1
//   UVSIM_LIMIT      seconds of virtual time after which the program is ended
//   UVSIM_REPORT     if set, the digest and the virtual time are printed to the standard error
//
// The program is one host. It has the files of the machine; its sockets, pipes, clocks, threads and random bytes are simulated.

#include "kernel.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*program)(int, char **, char **);
static int argument_count, exit_code;
static char **arguments, **environment;
static bool has_begun;

static void run_program(void *context) { exit_code = program(argument_count, arguments, environment); }

static void run_world(void *context) {
  struct sim_host *host = sim_host_add("program");
  sim_host_start(host, run_program, NULL);
  while (!sim_host_has_ended(host)) {
    enum sim_reason reason = sim_wait(NEVER);
    if (reason == SIM_WOKEN) continue;
    char text[4096];
    sim_describe_waits(text, sizeof text);
    const char *why = reason == SIM_STUCK   ? "nothing can run and nothing is due"
                      : reason == SIM_LIMIT ? "the limit has been reached"
                                            : sim_failure();
    fprintf(stderr, "uvsim: %s, after %.6f seconds\n%s", why, (double)sim_now() / 1e9, text);
    exit_code = 70;
    return;
  }
}

static void report(void) {
  if (has_begun && getenv("UVSIM_REPORT"))
    fprintf(stderr, "uvsim: seed %llu, digest %016llx, %llu calls, %.6f seconds\n", (unsigned long long)kernel.options.seed,
            (unsigned long long)sim_digest(), (unsigned long long)sim_steps(), (double)sim_now() / 1e9);
}

static double number(const char *name, double otherwise) {
  const char *text = getenv(name);
  return text ? strtod(text, NULL) : otherwise;
}

static int simulated_main(int count, char **values, char **variables) {
  argument_count = count;
  arguments = values;
  environment = variables;
  const char *seed = getenv("UVSIM_SEED"), *weather = getenv("UVSIM_WEATHER");
  if (!seed && !weather) return program(count, values, variables);
  double limit = number("UVSIM_LIMIT", 0);
  struct sim_options options = {
      .seed = seed ? strtoull(seed, NULL, 10) : 1,
      .limit = limit > 0 ? (uint64_t)(limit * 1e9) : NEVER,
      .trace_capacity = 1024,
      .keeps_disk = true,
  };
  sim_begin(&options);
  double cut = weather && strcmp(weather, "storm") == 0 ? 0.6 : weather && strcmp(weather, "usual") == 0 ? 0.1 : 0;
  uint64_t signals = weather && strcmp(weather, "storm") == 0 ? 50000 : weather && strcmp(weather, "usual") == 0 ? 1000 : 0;
  struct sim_weather sky = {
      .latency = 500000, .jitter = 100000, .cut = (uint64_t)(number("UVSIM_CUT", cut) * 1e6), .interruption = signals,
      .refusal = signals};
  sim_set_weather(&sky);
  has_begun = true;
  // For a program that calls `exit` itself.
  atexit(report);
  bool has_returned = sim_run(run_world, NULL);
  if (!has_returned) {
    fprintf(stderr, "uvsim: %s\n", sim_failure() ? sim_failure() : "the world has ended");
    exit_code = 70;
  }
  fflush(NULL);
  report();
  // Not the destructors: libuv's would wait for threads that were the world's.
  _exit(exit_code);
}

int __libc_start_main(
    int (*main)(int, char **, char **), int count, char **values, void (*init)(void), void (*fini)(void),
    void (*loader_fini)(void), void *stack);
int __libc_start_main(
    int (*main)(int, char **, char **), int count, char **values, void (*init)(void), void (*fini)(void),
    void (*loader_fini)(void), void *stack) {
  program = main;
  return REAL(__libc_start_main)(simulated_main, count, values, init, fini, loader_fini, stack);
}
