// How the threads of a simulation begin and end.

#include "kernel.h"
#include "keys.h"

#include <stdlib.h>
#include <string.h>

__thread struct thread *sim_self __attribute__((tls_model("initial-exec")));

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
  thread_make_runnable(thread);
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
  thread_run_next(self);
  abort();
}

void thread_abandon(void) {
  struct thread *self = sim_self;
  self->state = ENDED;
  self->is_abandoned = true;
  sim_self = NULL;
  thread_run_next(self);
  abort();
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
    thread_leave_queue(thread);
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
