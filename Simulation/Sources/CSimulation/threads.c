// The threads of a simulation. One runs at a time, and another one goes on only where it waits.

#include "kernel.h"
#include "keys.h"

#include <stdlib.h>
#include <string.h>

__thread struct thread *sim_self __attribute__((tls_model("initial-exec")));

// MARK: Who runs

static void make_runnable(struct thread *thread) {
  thread->state = RUNNABLE;
  thread->is_held = thread->host->is_paused || thread->process->is_stopped;
  if (thread->is_held) return;
  if (kernel.runnable_count == kernel.runnable_capacity) {
    kernel.runnable_capacity = kernel.runnable_capacity ? kernel.runnable_capacity * 2 : 16;
    kernel.runnable = realloc(kernel.runnable, kernel.runnable_capacity * sizeof *kernel.runnable);
  }
  kernel.runnable[kernel.runnable_count++] = thread;
}

static bool is_one_of(const struct thread *thread, const struct sim_host *host, const struct process *process) {
  return thread->host == host && (!process || thread->process == process);
}

void threads_hold(struct sim_host *host, const struct process *process) {
  for (size_t i = 0; i < kernel.runnable_count;) {
    struct thread *thread = kernel.runnable[i];
    if (is_one_of(thread, host, process)) {
      thread->is_held = true;
      kernel.runnable[i] = kernel.runnable[--kernel.runnable_count];
    } else {
      i++;
    }
  }
}

void threads_release(struct sim_host *host, const struct process *process) {
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (is_one_of(thread, host, process) && thread->is_held) make_runnable(thread);
  }
}

/// The next thread to run; null if the world is over.
static struct thread *next_thread(void) {
  while (!kernel.is_over) {
    while (kernel.event_count && kernel.events[1]->time <= kernel.now) {
      struct event *event = kernel.events[1];
      event_remove(event);
      event->run(event);
    }
    if (kernel.failure[0] && kernel.is_world_waiting) {
      kernel.is_world_waiting = false;
      thread_wake(kernel.world.first, SIM_FAILED);
    } else if (kernel.failure[0] && kernel.running != kernel.threads && !kernel.has_returned) {
      // The thread that has failed runs no further.
      if (kernel.threads->state == WAITING) return NULL;
    }
    if (kernel.runnable_count) {
      size_t chosen = kernel.runnable_count == 1 ? 0 : draw_below(&kernel.draws[DRAW_ORDER], kernel.runnable_count);
      struct thread *thread = kernel.runnable[chosen];
      kernel.runnable[chosen] = kernel.runnable[--kernel.runnable_count];
      return thread;
    }
    if (kernel.event_count && kernel.events[1]->time <= kernel.options.limit) {
      kernel.now = kernel.events[1]->time;
    } else if (kernel.event_count) {
      kernel.now = kernel.options.limit;
      // The world's thread says what the hosts wait for, which takes a second for each.
      kernel.options.limit = NEVER;
      if (!kernel.is_world_waiting) return NULL;
      kernel.is_world_waiting = false;
      thread_wake(kernel.world.first, SIM_LIMIT);
    } else if (kernel.is_world_waiting) {
      kernel.is_world_waiting = false;
      thread_wake(kernel.world.first, SIM_STUCK);
    } else {
      return NULL;
    }
  }
  return NULL;
}

static void run_next(struct thread *self) {
  if (__builtin_expect(__atomic_load_n(&has_outside_failure, __ATOMIC_RELAXED), 0)) adopt_failures();
  if (kernel.check && !kernel.failure[0]) {
    kernel.is_checking = true;
    kernel.check(kernel.check_context);
    kernel.is_checking = false;
  }
  struct thread *next = next_thread();
  if (next == self) return;
  kernel.running = next;
  if (!next) {
    library_leave();
    sim_switch(&self->context, &kernel.carrier);
  } else {
    library_enter(next->process);
    sim_switch(&self->context, &next->context);
  }
}

void thread_yield(void) {
  if (!kernel.runnable_count && !kernel.event_count) return;
  make_runnable(sim_self);
  run_next(sim_self);
  if (sim_self->process->signals) signals_deliver();
}

void thread_spin(void) {
  enum { FREE_SPINS = 64, COST = 10000 };
  if (++sim_self->spins <= FREE_SPINS) {
    thread_yield();
    return;
  }
  struct queue queue = {0};
  int spins = sim_self->spins;
  thread_wait(&queue, kernel.now + COST, "looking again and again");
  sim_self->spins = spins;
}

// MARK: Beginning and end

static void begin(void) {
  struct thread *self = kernel.running;
  sim_self = self;
  thread_end(self->body(self->argument));
}

struct process *thread_become(struct process *process) {
  struct process *before = sim_self->process;
  sim_self->process = process;
  sim_self->host = process->host;
  return before;
}

/// What was left on the stacks of threads that have ended where they stood goes with the stacks.
static void release_abandoned(void) {
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (!thread->is_abandoned || !thread->slot || thread == kernel.running) continue;
    slot_give_back(thread->slot, false);
    thread->slot = NULL;
  }
}

struct thread *thread_start(struct process *process, void *(*body)(void *), void *argument) {
  release_abandoned();
  struct thread *thread = calloc(1, sizeof *thread);
  thread->process = process;
  thread->host = process->host;
  thread->number = kernel.thread_count++;
  thread->body = body;
  thread->argument = argument;
  thread->slot = slot_take();
  thread->context = thread->slot->start;
  // What `sim_switch` takes from the stack: its registers, and where it returns to.
#if defined(__x86_64__)
  void **top = thread->context.stack;
  top[-1] = NULL;
  top[-2] = (void *)begin;
  memset(&top[-8], 0, 6 * sizeof *top);
  thread->context.stack = &top[-8];
#else
  char *frame = (char *)thread->context.stack - 160;
  memset(frame, 0, 160);
  *(void **)(frame + 8) = (void *)begin;
  thread->context.stack = frame;
#endif
  struct thread **last = &kernel.threads;
  while (*last) last = &(*last)->next_of_all;
  *last = thread;
  make_runnable(thread);
  return thread;
}

void thread_end(void *result) {
  struct thread *self = sim_self;
  keys_end_thread();
  self->result = result;
  self->state = ENDED;
  queue_wake_all(&self->joiners);
  if (self == self->process->main) process_main_ended(self->process);
  if (self == kernel.threads) kernel.is_over = true;
  sim_self = NULL;
  if (self->is_detached) {
    slot_give_back(self->slot, true);
    self->slot = NULL;
  }
  run_next(self);
  abort();
}

void thread_abandon(void) {
  struct thread *self = sim_self;
  self->state = ENDED;
  self->is_abandoned = true;
  sim_self = NULL;
  run_next(self);
  abort();
}

static void leave_queue(struct thread *thread) {
  struct queue *queue = thread->queue;
  if (!queue) return;
  if (thread->previous) thread->previous->next = thread->next;
  else queue->first = thread->next;
  if (thread->next) thread->next->previous = thread->previous;
  else queue->last = thread->previous;
  thread->queue = NULL;
  thread->next = thread->previous = NULL;
}

void threads_drop(struct process *process) {
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if ((process && thread->process != process) || !thread->slot) continue;
    if (thread->state == RUNNABLE) {
      for (size_t i = 0; i < kernel.runnable_count; i++) {
        if (kernel.runnable[i] != thread) continue;
        kernel.runnable[i] = kernel.runnable[--kernel.runnable_count];
        break;
      }
    }
    leave_queue(thread);
    thread->is_held = false;
    event_remove(&thread->timer);
    // The thread that runs is still on its stack.
    if (thread != kernel.running) {
      slot_give_back(thread->slot, thread->state == ENDED && !thread->is_abandoned);
      thread->slot = NULL;
    }
    thread->state = ENDED;
  }
}

// MARK: Waiting

static void time_out(struct event *event) {
  struct thread *thread = (struct thread *)((char *)event - offsetof(struct thread, timer));
  thread_wake(thread, SIM_TIMED_OUT);
}

enum sim_reason thread_wait(struct queue *queue, uint64_t deadline, const char *call) {
  struct thread *self = sim_self;
  if (deadline <= kernel.now) return SIM_TIMED_OUT;
  if (kernel.is_checking) {
    sim_fail("a check of the world's waits for something");
    return SIM_TIMED_OUT;
  }
  // One that came before it had run, or while it ran.
  if (self->process->signals && signals_deliver()) return SIM_INTERRUPTED;
  self->spins = 0;
  kernel.clock_reads = 0;
  self->state = WAITING;
  self->call = call;
  self->queue = queue;
  self->previous = queue->last;
  if (queue->last) queue->last->next = self;
  else queue->first = self;
  queue->last = self;
  if (deadline != NEVER) event_add(&self->timer, deadline, time_out);
  run_next(self);
  if (self->process->signals) signals_deliver();
  return self->reason;
}

void thread_wake(struct thread *thread, enum sim_reason reason) {
  leave_queue(thread);
  event_remove(&thread->timer);
  thread->address = NULL;
  thread->reason = reason;
  make_runnable(thread);
}
