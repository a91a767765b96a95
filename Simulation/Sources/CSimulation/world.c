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

struct start {
  sim_body body;
  void *context;
};

static void *run_world(void *argument) {
  struct start *start = argument;
  start->body(start->context);
  kernel.has_returned = true;
  return NULL;
}

bool sim_run(sim_body body, void *context) {
  struct start start = {body, context};
  struct sim_host *host = sim_host_add("world");
  host->main = thread_start(host, run_world, &start);
  kernel.runnable_count = 0;
  kernel.running = host->main;
  library_enter(host);
  trace_call(CALL_begin, -1, 0, kernel.options.seed);
  struct context carrier = {0};
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(carrier.storage));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(carrier.storage));
#endif
  kernel.carrier = carrier;
  sim_switch(&kernel.carrier, &host->main->context);
  kernel.running = NULL;
  __atomic_store_n(&runs, 0, __ATOMIC_RELEASE);
  adopt_failures();
  threads_drop(NULL);
  return kernel.has_returned;
}

void sim_end(void) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    host->is_down = true;
    files_drop(host);
  }
  tcp_free_all();
  udp_free_all();
  for (struct sim_host *host = kernel.hosts; host;) {
    struct sim_host *next = host->next;
    plans_free(host);
    changes_free(host);
    node_free_all(host->root);
    free(host->library);
    free(host->name);
    free(host);
    host = next;
  }
  for (struct thread *thread = kernel.threads; thread;) {
    struct thread *next = thread->next_of_all;
    free(thread);
    thread = next;
  }
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
      host->links[other].latency = weather->latency;
      host->links[other].jitter = weather->jitter;
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

void sim_tell(void) {
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

// MARK: Hosts

struct sim_host *sim_host_add(const char *name) {
  struct sim_host *host = calloc(1, sizeof *host), **last = &kernel.hosts;
  host->name = strdup(name);
  host->number = kernel.host_count++;
  // Up for a day at most, in the year 2030.
  host->uptime = 1000000000u * (3600 + draw_below(&kernel.draws[DRAW_CLOCK], 86400));
  host->date = 1893456000000000000u;
  host->rate = USUAL_RATE;
  library_prepare(host);
  if (host->number >= MOST_HOSTS) sim_fail("more than 127 hosts");
  for (int other = 0; other < MOST_HOSTS; other++)
    host->links[other] = (struct link){.latency = kernel.weather.latency, .jitter = kernel.weather.jitter};
  while (*last) last = &(*last)->next;
  *last = host;
  return host;
}

static void *run_host(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  trace_call(CALL_start, -1, 0, 0);
  start.body(start.context);
  trace_call(CALL_end, -1, 0, 0);
  return NULL;
}

void sim_host_start(struct sim_host *host, sim_body body, void *context) {
  host->is_down = host->is_paused = false;
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  host->main = thread_start(host, run_host, start);
}

void sim_world_start(sim_body body, void *context) {
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  thread_start(kernel.hosts, run_host, start);
}

bool sim_host_has_ended(const struct sim_host *host) { return !host->main || host->main->state == ENDED; }
uint8_t sim_host_number(const struct sim_host *host) { return host->number; }
const char *sim_host_name(const struct sim_host *host) { return host->name; }
struct sim_host *sim_host_current(void) { return sim_self ? sim_self->host : NULL; }

const char *sim_host_name_of(uint8_t number) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    if (host->number == number) return host->name;
  }
  return "?";
}

static void drop_process(struct sim_host *host) {
  threads_drop(host);
  if (host->is_down) tcp_crash(host);
  files_drop(host);
  free(host->library);
  library_prepare(host);
  memset(host->actions, 0, sizeof host->actions);
  host->main = NULL;
  host->jobs = NULL;
  host->pool = (struct queue){0};
  host->has_pool = false;
  host->crashes++;
  sim_tell();
}

void sim_host_crash(struct sim_host *host) {
  trace_call(CALL_crash, -1, host->number, 0);
  host->is_down = true;
  drop_process(host);
  disk_crash(host);
}

void sim_host_kill(struct sim_host *host) {
  trace_call(CALL_end, -1, host->number, 0);
  drop_process(host);
}

void sim_host_call(struct sim_host *host, sim_body body, void *context) {
  struct sim_host *own = sim_self->host;
  library_enter(host);
  sim_self->host = host;
  body(context);
  sim_self->host = own;
  library_enter(own);
}

void sim_host_limit(struct sim_host *host, int descriptors) { host->descriptor_limit = descriptors; }

void sim_host_break_disk(struct sim_host *host, bool is_broken) { host->is_disk_broken = is_broken; }

void sim_host_limit_disk(struct sim_host *host, uint64_t bytes) { host->disk_limit = bytes; }

void sim_host_limit_moves(struct sim_host *host, uint64_t bytes) { host->move_limit = bytes; }

void sim_host_write(struct sim_host *host, const char *path, const void *bytes, size_t size) {
  struct sim_host *own = sim_self->host;
  sim_self->host = host;
  int descriptor = disk_open(host, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  struct file *file = descriptor < 0 ? NULL : file_of(descriptor);
  if (file) {
    struct node *node = ((struct open_file *)file)->node;
    if (node_resize(node, size) == 0) memcpy(node->bytes, bytes, size);
    disk_wrote(node, 0, node->size);
    node_sync(node);
    creation_sync(host, node);
    descriptor_close(host, descriptor);
  } else {
    sim_fail("a file of a host couldn't be written");
  }
  sim_self->host = own;
}

size_t sim_describe_waits(char *text, size_t size) {
  size_t length = 0;
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->state != WAITING && !thread->is_held) continue;
    int count = snprintf(length < size ? text + length : NULL, length < size ? size - length : 0,
                         "%s, thread %d: %s\n", thread->host->name, thread->number,
                         thread->is_held ? "its host is paused" : thread->call);
    length += (size_t)count;
  }
  return length;
}
