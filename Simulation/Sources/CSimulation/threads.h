/// The threads of a simulation, of which one runs at a time. Included by kernel.h.
#pragma once

struct process;
struct sim_host;

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
  struct process *process;
  /// The process's.
  struct sim_host *host;
  struct slot *slot;
  enum thread_state state;
  int number;
  bool is_detached;
  /// Whether it could run if its host weren't paused, or its process stopped.
  bool is_held;
  /// Whether its process has ended while it ran: what it has left in its thread-local storage is nobody's.
  bool is_abandoned;
  /// How often it has looked in vain since it last waited.
  int spins;
  /// How often it has asked for events since it last waited for one.
  int polls;
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

struct thread *thread_start(struct process *process, void *(*body)(void *), void *argument);
void thread_end(void *result) __attribute__((noreturn));
/// The same where its process has ended: nothing of it is looked at any more.
void thread_abandon(void) __attribute__((noreturn));
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
/// Has the running thread belong to another process; returns the one that it belonged to.
struct process *thread_become(struct process *process);
void queue_wake_one(struct queue *queue);
void queue_wake_all(struct queue *queue);
/// It may run from now on.
void thread_make_runnable(struct thread *thread);
/// Has another thread run, or the same, if it may.
void thread_run_next(struct thread *self);
/// It waits no longer.
void thread_leave_queue(struct thread *thread);
/// Drops the threads of a process, or of all of them.
void threads_drop(struct process *process);
/// Has the threads of a host stop, or of one of its processes, and those that may run do so again.
void threads_hold(struct sim_host *host, const struct process *process);
void threads_release(struct sim_host *host, const struct process *process);
bool slot_is_owner(int number);
struct slot *slot_take(void);
void slot_give_back(struct slot *slot, bool is_clean);
void sim_switch(struct context *from, const struct context *to);
