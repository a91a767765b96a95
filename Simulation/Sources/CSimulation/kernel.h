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

struct file;
struct job;
struct thread;

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

// MARK: Threads

struct context {
  void *stack;
  void *storage;
};

/// A thread of libc's that only waits. Its stack and its thread-local storage are a simulated thread's.
struct slot {
  struct slot *next;
  struct context start;
  pthread_t id;
  int number;
  int is_parked, is_released;
};

struct queue {
  struct thread *first, *last;
};

enum thread_state { RUNNABLE, WAITING, ENDED };

struct thread {
  struct context context;
  struct thread *next_of_all;
  struct sim_host *host;
  struct slot *slot;
  enum thread_state state;
  int number;
  bool is_detached;
  /// Whether it could run if its host weren't paused.
  bool is_held;
  /// How often it has looked in vain since it last waited.
  int spins;
  /// Whether its last wait was interrupted by the weather; the next one isn't then.
  bool was_interrupted;
  /// Whether all the signals that have interrupted it ask for another try (`SA_RESTART`).
  bool tries_again;
  // What it waits for.
  struct queue *queue;
  struct thread *previous, *next;
  const void *address;
  const char *call;
  enum sim_reason reason;
  struct event timer;
  struct queue joiners;
  sigset_t blocked;
  void *(*body)(void *);
  void *argument, *result;
};

/// The thread of the simulation that the calling thread is; null for every other.
extern __thread struct thread *sim_self __attribute__((tls_model("initial-exec")));
#define IS_SIMULATED __builtin_expect(sim_self != NULL, 0)

/// Whether a call about a descriptor, or about a path (0), goes on to libc. A program that is run as it is has the files of the
/// machine; only what it makes itself on the simulated kernel is numbered from 1000.
#define LEAVES(descriptor)                                                                                   \
  (!IS_SIMULATED || (kernel.options.keeps_disk && (unsigned)(descriptor) < FIRST_DESCRIPTOR))

struct thread *thread_start(struct sim_host *host, void *(*body)(void *), void *argument);
void thread_end(void *result) __attribute__((noreturn));
/// Another thread may run now.
void thread_yield(void);
/// The same for a thread that looks for something again and again. If it has done so often, time goes on.
void thread_spin(void);
/// Waits in a queue until it is woken, or until `deadline`.
enum sim_reason thread_wait(struct queue *queue, uint64_t deadline, const char *call);
/// Waits for whatever is at an address: a lock, a condition, a number.
enum sim_reason thread_wait_at(const void *address, uint64_t deadline, const char *call);
/// Wakes at most `count` of those that wait there, chosen by draw; returns how many.
int thread_wake_at(const void *address, int count);
void thread_wake(struct thread *thread, enum sim_reason reason);
void queue_wake_one(struct queue *queue);
void queue_wake_all(struct queue *queue);
/// Drops the threads of a host, or of all of them.
void threads_drop(struct sim_host *host);
bool slot_is_owner(int number);
struct slot *slot_take(void);
void slot_give_back(struct slot *slot, bool is_clean);
void sim_switch(struct context *from, const struct context *to);

// MARK: Hosts

struct descriptor {
  struct file *file;
  bool closes_on_exec;
};

enum { MOST_HOSTS = 128 };

/// The way from one host to another.
struct link {
  uint64_t latency, jitter;
  bool is_cut, is_held;
};

struct sim_host {
  struct sim_host *next;
  char *name;
  uint8_t number;
  struct thread *main;
  /// The host's own copy of libuv's variables: its thread pool, its signals.
  char *library;
  struct descriptor *descriptors;
  int descriptor_count, descriptor_capacity;
  /// How many it may have; 0 if that isn't limited.
  int descriptor_limit;
  /// Nanoseconds on its clocks at the world's moment `since`, and by how many billionths of a second they go on in a nanosecond.
  uint64_t uptime, date, since, rate;
  struct sigaction actions[MOST_SIGNALS];
  /// Those that have come, a bit for each.
  uint64_t signals;
  struct socket *sockets;
  struct node *root;
  uint64_t last_node;
  /// The names that have changed, and may change back in a crash; the latest is first.
  struct change *changes;
  int change_count;
  /// What is watched of its files.
  struct notice *notices;
  /// What joins the two events of a rename.
  uint32_t last_rename;
  /// How many bytes are on the disk, and how many have room; 0 if that isn't limited.
  uint64_t disk_used, disk_limit;
  /// How many bytes of a file one call moves; 0 if that isn't limited.
  uint64_t move_limit;
  bool is_disk_broken;
  /// The calls that fail when their turn comes.
  struct plan *plans;
  /// Whether nothing of it runs, and nothing arrives at it.
  bool is_paused;
  /// By the number of the other host.
  struct link links[MOST_HOSTS];
  /// Whether it has no power.
  bool is_down;
  /// What waits for the host's part of Swift's global pool, and the pool's thread.
  struct job *jobs;
  struct queue pool;
  bool has_pool, is_pool_busy;
  /// How often it has crashed.
  int crashes;
};

enum { USUAL_RATE = 1000000000 };
/// What a clock of the host shows that has shown `start` at the host's moment `since`.
uint64_t host_clock(const struct sim_host *host, uint64_t start);
/// The world's moment at which it shows `moment`.
uint64_t host_moment(const struct sim_host *host, uint64_t start, uint64_t moment);
/// How long a time by the host's clocks takes in the world.
uint64_t host_span(const struct sim_host *host, uint64_t span);
/// Has threads of the host that could run do so again.
void threads_release(struct sim_host *host);
void threads_hold(struct sim_host *host);

void library_find(void);
void library_enter(struct sim_host *host);
void library_leave(void);
/// Whether libuv is a shared library.
bool library_is_found(void);
/// What a thread runs.
struct start {
  sim_body body;
  void *context;
};

/// Whether a world has begun and not ended, seen from outside.
bool world_runs(void);
/// Whether that is one of libuv's variables.
bool library_has(const void *address);
/// Whether a call came from the code of libuv.
bool library_calls(const void *caller);
void library_prepare(struct sim_host *host);

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
  struct sim_host *hosts, *inside;
  uint8_t host_count;
  struct queue world;
  bool is_world_waiting, has_returned, is_over;
  sim_body check;
  void *check_context;
  bool is_checking;
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
void barriers_forget(void);
/// Calls the handlers of signals that have come for the running thread's host.
void signals_deliver(void);
