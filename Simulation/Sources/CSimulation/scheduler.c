// Which thread runs: one at a time, and another one goes on only where it waits.

#include "kernel.h"

#include <stdlib.h>

// MARK: Who runs

void thread_make_runnable(struct thread *thread) {
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
    if (is_one_of(thread, host, process) && thread->is_held) thread_make_runnable(thread);
  }
}

/// Has the world's thread say what the hosts wait for, which takes a second for each. Returns false if it doesn't wait.
static bool reach_limit(void) {
  kernel.options.limit = NEVER;
  if (!kernel.is_world_waiting) return false;
  kernel.is_world_waiting = false;
  thread_wake(kernel.world.first, SIM_LIMIT);
  return true;
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
    // Where the clock was read again and again, time has gone on already.
    if (__builtin_expect(kernel.time_goes_on && kernel.now > kernel.agreed, 0)) {
      if (kernel.now > kernel.options.limit) reach_limit();
      if (!kernel.time_goes_on(kernel.now)) continue;
      kernel.agreed = kernel.now;
    }
    if (kernel.runnable_count) {
      size_t chosen = kernel.runnable_count == 1 ? 0 : draw_below(&kernel.draws[DRAW_ORDER], kernel.runnable_count);
      struct thread *thread = kernel.runnable[chosen];
      kernel.runnable[chosen] = kernel.runnable[--kernel.runnable_count];
      return thread;
    }
    if (__builtin_expect(kernel.time_goes_on != NULL, 0)) {
      uint64_t next = kernel.event_count ? kernel.events[1]->time : NEVER;
      if (next != NEVER && next > kernel.options.limit) next = kernel.options.limit;
      if (!kernel.time_goes_on(next)) continue;
      kernel.agreed = next;
    }
    if (kernel.event_count && kernel.events[1]->time <= kernel.options.limit) {
      kernel.now = kernel.events[1]->time;
    } else if (kernel.event_count) {
      kernel.now = kernel.options.limit;
      if (!reach_limit()) return NULL;
    } else if (kernel.is_world_waiting) {
      kernel.is_world_waiting = false;
      thread_wake(kernel.world.first, SIM_STUCK);
    } else {
      return NULL;
    }
  }
  return NULL;
}

void thread_run_next(struct thread *self) {
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
  if (!kernel.runnable_count && !kernel.event_count && !kernel.time_goes_on) return;
  thread_make_runnable(sim_self);
  thread_run_next(sim_self);
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

// MARK: Waiting

void thread_leave_queue(struct thread *thread) {
  struct queue *queue = thread->queue;
  if (!queue) return;
  if (thread->previous) thread->previous->next = thread->next;
  else queue->first = thread->next;
  if (thread->next) thread->next->previous = thread->previous;
  else queue->last = thread->previous;
  thread->queue = NULL;
  thread->next = thread->previous = NULL;
}

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
  thread_run_next(self);
  if (self->process->signals) signals_deliver();
  return self->reason;
}

void thread_wake(struct thread *thread, enum sim_reason reason) {
  thread_leave_queue(thread);
  event_remove(&thread->timer);
  thread->address = NULL;
  thread->reason = reason;
  thread_make_runnable(thread);
}
