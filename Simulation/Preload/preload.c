// Runs a program that knows nothing of it on the simulated kernel: a library for LD_PRELOAD.
//
//   UVSIM_SEED=7 UVSIM_WEATHER=storm LD_PRELOAD=libuvsim.so python3 server.py
//
//   UVSIM_SEED       where each choice comes from; 1 unless it is set. Without UVSIM_SEED and UVSIM_WEATHER, nothing is simulated.
//   UVSIM_WEATHER    calm, usual or storm
//   UVSIM_CUT        the chance that a read or a write is cut short, between 0 and 1
//   UVSIM_RESET      of two hosts: the chance that a connection is reset, for each portion that it carries
//   UVSIM_LIMIT      seconds of virtual time after which the program is ended
//   UVSIM_START      of two hosts: seconds of virtual time after which the client begins; 0.1 unless it is set
//   UVSIM_REPORT     if set, the digest and the virtual time are printed to the standard error
//
// The program is one host. It has the files of the machine; its sockets, pipes, clocks, threads and random bytes are simulated.
// The command `run` has two such processes be two hosts of one network, by UVSIM_PEER.

#include "pair.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// How long the server goes on when the client has ended, so that it sees the ends of its connections.
enum { AFTERMATH = 1000000000 };

static int (*program)(int, char **, char **);
static int argument_count, exit_code;
static char **arguments, **environment;
static uint64_t seed, start;
static bool has_begun;

static double number(const char *name, double otherwise) {
  const char *text = getenv(name);
  return text ? strtod(text, NULL) : otherwise;
}

static void run_program(void *context) { exit_code = program(argument_count, arguments, environment); }

void print_waits(void) {
  char text[4096];
  sim_describe_waits(text, sizeof text);
  for (char *line = text, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    end += *end == '\n';
    // The world's own thread waits for the hosts.
    if (!has_peer || strncmp(line, "world, ", 7) != 0) fprintf(stderr, "%.*s", (int)(end - line), line);
  }
}

void flush_streams(void) { fflush(streams_in_use ? stdout : NULL); }

static void say_failure(enum sim_reason reason) {
  const char *why = reason == SIM_STUCK   ? "nothing can run and nothing is due"
                    : reason == SIM_LIMIT ? "the limit has been reached"
                                          : sim_failure();
  fprintf(stderr, "uvsim: %s, after %.6f seconds\n", why, (double)sim_now() / 1e9);
  print_waits();
  exit_code = 70;
}

static void run_world(void *context) {
  struct sim_host *host = sim_host_add("program");
  sim_host_start(host, run_program, NULL);
  while (!sim_host_has_ended(host)) {
    enum sim_reason reason = sim_wait(NEVER);
    if (reason == SIM_WOKEN) continue;
    say_failure(reason);
    return;
  }
}

static void report(void) {
  if (!has_begun || !getenv("UVSIM_REPORT")) return;
  fprintf(stderr, "uvsim: %s%sseed %llu, digest %016llx, %llu calls, %.6f seconds\n", has_peer ? pair_name(pair_rank) : "",
          has_peer ? ": " : "", (unsigned long long)seed, (unsigned long long)sim_digest(),
          (unsigned long long)sim_steps(), (double)sim_now() / 1e9);
}

// MARK: Two hosts

static struct sim_host *own_host;
static bool has_exited;
static uint64_t world_end = NEVER;

void peer_has_exited(void) {
  // Where the server has ended, the client goes on.
  if (pair_rank == 0) world_end = kernel.now + AFTERMATH;
  sim_notify();
}

/// The program has ended, by a thread of its own; its world goes on, because its last bytes are on their way. Its threads stop
/// where they are, and keep what they stand on.
static void end_program(int code) {
  struct process *process = sim_self->process;
  if (!has_exited) {
    has_exited = true;
    exit_code = code & 0xff;
    files_drop(process);
    process->is_stopped = true;
    threads_hold(own_host, process);
    sim_notify();
  }
  struct queue queue = {0};
  for (;;) thread_wait(&queue, NEVER, "nothing more: it has ended");
}

/// The first that is registered, and so the last that `exit` calls.
static void exit_handler(int code, void *context) {
  if (!IS_SIMULATED) return;
  flush_streams();
  end_program(code);
}

static void run_one_of_two(void *context) {
  if (pair_rank == 1) sim_sleep(start);
  // As libc does, with the handlers that the program has registered.
  exit(program(argument_count, arguments, environment));
}

static void run_half_of_world(void *context) {
  struct sim_host *hosts[2];
  for (int i = 0; i < 2; i++) hosts[i] = sim_host_add(pair_name(i));
  own_host = hosts[pair_rank];
  bridge_begin(own_host, hosts[1 - pair_rank], (uint64_t)(number("UVSIM_RESET", 0) * 1e6));
  sim_host_start(own_host, run_one_of_two, NULL);
  bool has_told = false;
  for (;;) {
    enum sim_reason reason = sim_wait(world_end);
    if (reason == SIM_TIMED_OUT) break;
    if (reason != SIM_WOKEN) {
      say_failure(reason);
      pair_record('f', 70);
      pair_leave(MESSAGE_FAILED);
      return;
    }
    if (!has_exited || has_told) continue;
    has_told = true;
    if (pair_rank == 1) world_end = kernel.now + AFTERMATH;
    pair_send(MESSAGE_EXIT, 0, NULL, 0);
  }
  pair_record(has_exited ? 'e' : 'r', exit_code);
  pair_leave(MESSAGE_OVER);
}

static int simulated_main(int count, char **values, char **variables) {
  argument_count = count;
  arguments = values;
  environment = variables;
  const char *seed_text = getenv("UVSIM_SEED"), *weather = getenv("UVSIM_WEATHER");
  if (!seed_text && !weather) return program(count, values, variables);
  double limit = number("UVSIM_LIMIT", 0);
  seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
  start = (uint64_t)(number("UVSIM_START", 0.1) * 1e9);
  pair_find();
  struct sim_options options = {
      // Two hosts have choices of their own.
      .seed = pair_rank == 0 ? seed : seed ^ 0x9E3779B97F4A7C15u,
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
  if (has_peer) {
    on_exit(exit_handler, NULL);
    kernel.time_goes_on = pair_time_goes_on;
    kernel.program_ends = end_program;
    pair_begin();
  } else {
    // For a program that calls `exit` itself.
    atexit(report);
  }
  bool has_returned = sim_run(has_peer ? run_half_of_world : run_world, NULL);
  if (!has_returned) {
    fprintf(stderr, "uvsim: %s\n", sim_failure() ? sim_failure() : "the world has ended");
    exit_code = 70;
  }
  flush_streams();
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
