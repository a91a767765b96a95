// A world from its beginning to its end.

#include "kernel.h"
#include "disk.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel kernel;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int runs;

bool world_runs(void) { return __atomic_load_n(&runs, __ATOMIC_ACQUIRE); }

__attribute__((constructor)) static void prepare(void) {
  library_find();
  sim_hooks_install();
}

bool sim_is_simulated(void) { return IS_SIMULATED; }

bool sim_begin(const struct sim_options *options) {
  if (IS_SIMULATED) return false;
  REAL(pthread_mutex_lock)(&turn);
  memset(&kernel, 0, sizeof kernel);
  openssl_prepare();
  barriers_forget();
  kernel.options = *options;
  kernel.names = (struct names){.latency = 1000000, .jitter = 1000000};
  kernel.weather = (struct sim_weather){.latency = 500000, .jitter = 100000};
  static const char *const names[] = {"order", "ready", "wake", "random", "clock", "network", "cut", "interruption", "refusal", "disk"};
  for (int i = 0; i < DRAW_STREAMS; i++) draw_seed(&kernel.draws[i], options->seed, names[i]);
  kernel.trace = calloc(options->trace_capacity, sizeof *kernel.trace);
  has_outside_failure = 0;
  __atomic_store_n(&runs, 1, __ATOMIC_RELEASE);
  return true;
}

static void *run_world(void *argument) {
  struct start *start = argument;
  start->body(start->context);
  kernel.has_returned = true;
  return NULL;
}

bool sim_run(sim_body body, void *context) {
  struct start start = {body, context};
  struct sim_host *host = sim_host_add("world");
  struct thread *main = host->process->main = thread_start(host->process, run_world, &start);
  kernel.runnable_count = 0;
  kernel.running = main;
  library_enter(host->process);
  trace_call(CALL_begin, -1, 0, kernel.options.seed);
  struct context carrier = {0};
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(carrier.storage));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(carrier.storage));
#endif
  kernel.carrier = carrier;
  sim_switch(&kernel.carrier, &main->context);
  kernel.running = NULL;
  __atomic_store_n(&runs, 0, __ATOMIC_RELEASE);
  adopt_failures();
  threads_drop(NULL);
  return kernel.has_returned;
}

void sim_end(void) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    host->is_down = true;
    for (struct process *process = host->processes; process; process = process->next) files_drop(process);
  }
  tcp_free_all();
  udp_free_all();
  for (struct sim_host *host = kernel.hosts; host;) {
    struct sim_host *next = host->next;
    plans_free(host);
    changes_free(host);
    node_free_all(host->root);
    processes_free(host);
    free(host->name);
    free(host);
    host = next;
  }
  for (struct thread *thread = kernel.threads; thread;) {
    struct thread *next = thread->next_of_all;
    free(thread);
    thread = next;
  }
  programs_free();
  free(kernel.events);
  free(kernel.runnable);
  free(kernel.trace);
  REAL(pthread_mutex_unlock)(&turn);
}

const char *sim_failure(void) { return kernel.failure[0] ? kernel.failure : NULL; }

void sim_fail(const char *text) {
  if (!kernel.failure[0]) snprintf(kernel.failure, sizeof kernel.failure, "%s", text);
}

void sim_set_weather(const struct sim_weather *weather) {
  kernel.weather = *weather;
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    for (int other = 0; other < MOST_HOSTS; other++) {
      struct link *link = &host->links[other], usual = link_usual();
      link->latency = usual.latency;
      link->jitter = usual.jitter;
      link->bandwidth = usual.bandwidth;
    }
  }
}

void sim_set_names(uint64_t latency, uint64_t jitter, bool is_failing) {
  kernel.names = (struct names){latency, jitter, is_failing};
}

uint64_t sim_now(void) { return kernel.now; }

enum sim_reason sim_wait(uint64_t deadline) {
  if (kernel.failure[0]) return SIM_FAILED;
  kernel.is_world_waiting = true;
  enum sim_reason reason = thread_wait(&kernel.world, deadline, "the world");
  kernel.is_world_waiting = false;
  return reason;
}

void sim_notify(void) {
  if (kernel.world.first) {
    kernel.is_world_waiting = false;
    thread_wake(kernel.world.first, SIM_WOKEN);
  }
}

uint64_t sim_draw(const char *name, uint64_t bound) {
  for (int i = 0; i < 64; i++) {
    if (!kernel.named[i].name[0]) {
      snprintf(kernel.named[i].name, sizeof kernel.named[i].name, "%s", name);
      char own[40];
      snprintf(own, sizeof own, "own %s", kernel.named[i].name);
      draw_seed(&kernel.named[i].draw, kernel.options.seed, own);
    } else if (strncmp(kernel.named[i].name, name, 31) != 0) {
      continue;
    }
    return draw_below(&kernel.named[i].draw, bound);
  }
  sim_fail("more than 64 streams of random numbers");
  return 0;
}

void sim_set_check(sim_body check, void *context) {
  kernel.check = check;
  kernel.check_context = context;
}

void sim_sleep(uint64_t nanoseconds) {
  struct queue queue = {0};
  uint64_t until = nanoseconds < NEVER - kernel.now ? kernel.now + nanoseconds : NEVER;
  while (thread_wait(&queue, until, "a sleep of the world's") != SIM_TIMED_OUT) {}
}
