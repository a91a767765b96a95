/// What the parts of the kernel know of each other. A world is touched by one thread at a time, which carries it.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "simulation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define NEVER SIM_NEVER
/// Descriptors of hosts begin here, so that libc's aren't taken for them, nor they for libc's.
enum { FIRST_DESCRIPTOR = 1000, MOST_DESCRIPTORS = 65536, MOST_SIGNALS = 65 };


// MARK: Chance

/// A stream of numbers that depends on the seed and on the stream's name alone.
struct draw {
  uint64_t state;
};

enum stream {
  DRAW_ORDER, DRAW_READY, DRAW_WAKE, DRAW_RANDOM, DRAW_CLOCK, DRAW_NETWORK, DRAW_CUT, DRAW_INTERRUPTION, DRAW_REFUSAL,
  DRAW_DISK, DRAW_STREAMS
};

uint64_t draw_number(struct draw *draw);
/// A number below `bound`, which is 1 or more.
uint64_t draw_below(struct draw *draw, uint64_t bound);
void random_fill(void *bytes, size_t size);
void draw_seed(struct draw *draw, uint64_t seed, const char *name);

/// Whether something goes wrong that does so with that chance, in millionths.
bool fault_is_drawn(enum stream stream, uint64_t chance);
static inline bool fault_is_due(enum stream stream, uint64_t chance) {
  return __builtin_expect(chance != 0, 0) && fault_is_drawn(stream, chance);
}

// MARK: What is due

struct event {
  uint64_t time;
  /// The order of events at one moment.
  uint64_t tie;
  /// The place in the heap, from 1; 0 if it isn't due.
  size_t place;
  void (*run)(struct event *event);
};

void event_add(struct event *event, uint64_t time, void (*run)(struct event *event));
void event_remove(struct event *event);

#include "threads.h"
#include "hosts.h"

// MARK: The world

/// How long questions for names take, and whether they are answered.
struct names {
  uint64_t latency, jitter;
  bool is_failing;
};

struct kernel {
  struct sim_options options;
  struct names names;
  struct sim_weather weather;
  uint64_t now;
  struct draw draws[DRAW_STREAMS];
  struct event **events;
  size_t event_count, event_capacity;
  struct thread **runnable;
  size_t runnable_count, runnable_capacity;
  struct thread *threads, *running;
  int thread_count;
  /// Those that wait at an address.
  struct queue addresses;
  struct context carrier;
  struct sim_host *hosts;
  /// Whose copy of libuv's variables is in place.
  struct process *inside;
  struct program *programs;
  uint8_t host_count;
  struct queue world;
  bool is_world_waiting, has_returned, is_over;
  sim_body check;
  void *check_context;
  bool is_checking;
  /// Asked, where it is set, before time goes on to `next`, which is `NEVER` if nothing is due. Returns false if something may
  /// run or be due before.
  bool (*time_goes_on)(uint64_t next);
  /// The moment to which it has let time go on.
  uint64_t agreed;
  /// Where it is set, ends a program whose world goes on; it doesn't return.
  void (*program_ends)(int code);
  uint32_t faults, next_fault;
  char failure[1024];
  struct sim_entry *trace;
  uint64_t steps, digest, file_count;
  /// How often the clock was read since a thread has waited.
  uint64_t clock_reads;
  /// The streams that the world's own code draws from.
  struct { char name[32]; struct draw draw; } named[64];
};

extern struct kernel kernel;

// MARK: Signals that interrupt

/// Whether the weather interrupts what is about to wait.
bool interruption_is_drawn(void);
static inline bool interruption_is_due(void) {
  return __builtin_expect(kernel.weather.interruption != 0, 0) && interruption_is_drawn();
}
/// Waits in a queue until `deadline`, unless a signal comes, or the weather has it seem so.
enum sim_reason thread_wait_interruptibly(struct queue *queue, uint64_t deadline, const char *call);

// MARK: The trace

enum call {
#define CALL(name) CALL_##name,
#include "calls.inc"
#undef CALL
  CALL_COUNT
};

uint64_t hash_bytes(const void *bytes, size_t count);
void trace_call(enum call call, int descriptor, int64_t result, uint64_t bytes);
/// Notes that something has arrived at a host, with the moment at which it was sent.
void trace_arrival(const struct sim_host *from, const struct sim_host *to, uint64_t sent, size_t size);
/// An error if a call fails by a plan of the world's; else 0.
int plan_is_due(struct sim_host *host, enum call call);
static inline int planned(enum call call) {
  return __builtin_expect(sim_self->host->plans != NULL, 0) ? plan_is_due(sim_self->host, call) : 0;
}
void plans_free(struct sim_host *host);
#define UNLESS_PLANNED(call, expression)                                                                     \
  ({                                                                                                         \
    long planned_code = planned(call);                                                                       \
    planned_code < 0 ? planned_code : (long)(expression);                                                    \
  })
/// Returns `result`, or -1 with `errno` if it is negative, and notes the call.
long traced(enum call call, int descriptor, long result, uint64_t bytes);

// MARK: What isn't simulated

/// Notes that a thread outside has used a host's descriptor, for which libc's answer was EBADF.
void fail_outside(const char *call, int descriptor);
/// Ends the world if a thread outside of it waits for a loop of libuv.
void fail_outside_loop(const void *caller);
/// The result of a call that has gone on to libc.
#define LEFT(call, descriptor, expression)                                                                   \
  ({                                                                                                         \
    __typeof__(expression) left_result = (expression);                                                       \
    if (__builtin_expect(left_result < 0 && (descriptor) >= FIRST_DESCRIPTOR && errno == EBADF, 0))          \
      fail_outside(call, descriptor);                                                                        \
    left_result;                                                                                             \
  })
/// Takes over what threads outside have done wrong.
void adopt_failures(void);
extern int has_outside_failure;

/// Notes that a thread of the simulation has called that.
void fail_missing(const char *call, const void *caller);
void sim_hooks_install(void);
void openssl_prepare(void);
/// How many threads of the simulation wait with libc's lock of a stream, which can't be taken outside then.
extern int streams_in_use;
void barriers_forget(void);
/// Calls the handlers of signals that have come for the running thread's process, and returns whether there was one.
bool signals_deliver(void);
