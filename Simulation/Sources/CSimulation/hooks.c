// What the Swift runtime would do on threads of its own.

#include "kernel.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>

#if __has_attribute(swiftcall)
#define SWIFT __attribute__((swiftcall))
typedef SWIFT void (*enqueue_original)(void *job);
typedef SWIFT void (*enqueue_hook)(void *job, enqueue_original original);
typedef SWIFT void (*delay_original)(unsigned long long delay, void *job);
typedef SWIFT void (*delay_hook)(unsigned long long delay, void *job, delay_original original);
typedef SWIFT void (*at_original)(long long, long long, long long, long long, int, void *);
typedef SWIFT void (*at_hook)(long long, long long, long long, long long, int, void *, at_original);

typedef SWIFT void (*run_function)(void *job, void *executor, uintptr_t kind);

/// A job that waits for the pool: Swift's global pool is a thread of the host's here, which takes jobs in an order that is
/// drawn.
struct job {
  struct event event;
  struct job *next;
  struct process *process;
  void *job;
  /// What runs it; null if Swift does.
  void (*function)(void *job);
};

static void *run_jobs(void *argument) {
  static run_function run;
  if (!run) run = (run_function)dlsym(RTLD_DEFAULT, "swift_job_run");
  struct process *process = argument;
  for (;;) {
    size_t count = 0;
    for (struct job *job = process->jobs; job; job = job->next) count++;
    if (!count) {
      thread_wait(&process->pool, NEVER, "Swift's global pool");
      continue;
    }
    size_t chosen = count == 1 ? 0 : draw_below(&kernel.draws[DRAW_WAKE], count);
    struct job **place = &process->jobs;
    while (chosen--) place = &(*place)->next;
    struct job *job = *place;
    *place = job->next;
    struct job own = *job;
    free(job);
    trace_call(CALL_step, -1, (int64_t)count, 0);
    process->is_pool_busy = true;
    if (own.function) own.function(own.job);
    else run(own.job, NULL, 0);
    process->is_pool_busy = false;
    thread_yield();
  }
  return NULL;
}

static void put(struct job *job) {
  struct process *process = job->process;
  if (process->has_ended) {
    free(job);
    return;
  }
  struct job **last = &process->jobs;
  while (*last) last = &(*last)->next;
  *last = job;
  if (!process->has_pool) {
    process->has_pool = true;
    thread_start(process, run_jobs, process);
  }
  queue_wake_one(&process->pool);
}

bool sim_pool_is_busy(void) { return sim_self->process->jobs || sim_self->process->is_pool_busy; }

static void put_later(struct event *event) { put((struct job *)event); }

static struct job *job_make(void *raw) {
  struct job *job = calloc(1, sizeof *job);
  job->process = sim_self->process;
  job->job = raw;
  return job;
}

static SWIFT void enqueue_global(void *job, enqueue_original original) {
  if (IS_SIMULATED) put(job_make(job));
  else original(job);
}

static SWIFT void enqueue_delayed(unsigned long long delay, void *job, delay_original original) {
  if (IS_SIMULATED) event_add(&job_make(job)->event, kernel.now + host_span(sim_self->host, delay), put_later);
  else original(delay, job);
}

/// The deadline of a clock: its seconds and nanoseconds, a tolerance, and which clock it is.
static SWIFT void enqueue_at(
    long long seconds, long long nanoseconds, long long tolerance, long long more, int clock, void *job,
    at_original original) {
  if (!IS_SIMULATED) {
    original(seconds, nanoseconds, tolerance, more, clock, job);
    return;
  }
  uint64_t moment = (uint64_t)seconds * 1000000000 + (uint64_t)nanoseconds;
  moment = host_moment(sim_self->host, sim_self->host->uptime, moment);
  event_add(&job_make(job)->event, moment > kernel.now ? moment : kernel.now, put_later);
}

static SWIFT void enqueue_main(void *job, enqueue_original original) {
  if (!IS_SIMULATED) {
    original(job);
    return;
  }
  fail_missing("a job of the main actor", NULL);
}
#endif

/// The seed of Swift's hash values. They don't depend on the address of a set then.
struct hashing {
  uint64_t first, second;
  bool is_deterministic;
};

void sim_hooks_install(void) {
#if __has_attribute(swiftcall)
  enqueue_hook *global = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  enqueue_hook *main = dlsym(RTLD_DEFAULT, "swift_task_enqueueMainExecutor_hook");
  delay_hook *delayed = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobalWithDelay_hook");
  if (global) *global = enqueue_global;
  if (main) *main = enqueue_main;
  if (delayed) *delayed = enqueue_delayed;
  at_hook *at = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobalWithDeadline_hook");
  if (at) *at = enqueue_at;
#endif
  struct hashing *hashing = dlsym(RTLD_DEFAULT, "_swift_stdlib_Hashing_parameters");
  if (!hashing) return;
  const char *seed = getenv("UV_SIMULATION_HASHING");
  struct draw draw;
  draw_seed(&draw, seed ? strtoull(seed, NULL, 10) : 0, "hashing");
  *hashing = (struct hashing){draw_number(&draw), draw_number(&draw), true};
}

// MARK: Dispatch

// It has threads of its own, which no seed decides about.
#define DISPATCHED(name, text)                                                                               \
  void *name(void *a, void *b, void *c, void *d);                                                            \
  void *name(void *a, void *b, void *c, void *d) {                                                           \
    static void *(*real)(void *, void *, void *, void *);                                                    \
    if (!real) real = (void *(*)(void *, void *, void *, void *))real_function(#name);                       \
    if (IS_SIMULATED) fail_missing(text, __builtin_return_address(0));                                       \
    return real ? real(a, b, c, d) : NULL;                                                                   \
  }

DISPATCHED(dispatch_async, "DispatchQueue.async")
DISPATCHED(dispatch_async_f, "what Dispatch is to run")
DISPATCHED(dispatch_source_create, "a source of Dispatch's, as of a Task.sleep with a tolerance")

#if __has_attribute(swiftcall)
/// `Task.sleep` ends so.
void dispatch_after_f(uint64_t time, void *queue, void *context, void (*function)(void *));
void dispatch_after_f(uint64_t time, void *queue, void *context, void (*function)(void *)) {
  if (!IS_SIMULATED) {
    REAL(dispatch_after_f)(time, queue, context, function);
    return;
  }
  // Two bits say which clock it is; here they are one.
  uint64_t moment = time & ~(3ull << 62);
  if (time == NEVER) return;
  moment = host_moment(sim_self->host, sim_self->host->uptime, moment);
  struct job *job = job_make(context);
  job->function = function;
  event_add(&job->event, moment > kernel.now ? moment : kernel.now, put_later);
}

/// The runtime widens the queue of its pool when it first needs it, for which Dispatch would start a thread.
void dispatch_queue_set_width(void *queue, long width);
void dispatch_queue_set_width(void *queue, long width) {
  if (!IS_SIMULATED) REAL(dispatch_queue_set_width)(queue, width);
}
#endif
