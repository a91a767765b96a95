// Who of those that wait for the same is woken: it is drawn.

#include "kernel.h"

void queue_wake_one(struct queue *queue) {
  size_t count = 0;
  for (struct thread *thread = queue->first; thread; thread = thread->next) count++;
  if (!count) return;
  size_t chosen = count == 1 ? 0 : draw_below(&kernel.draws[DRAW_WAKE], count);
  struct thread *thread = queue->first;
  while (chosen--) thread = thread->next;
  thread_wake(thread, SIM_WOKEN);
}

void queue_wake_all(struct queue *queue) {
  while (queue->first) thread_wake(queue->first, SIM_WOKEN);
}

enum sim_reason thread_wait_at(const void *address, uint64_t deadline, const char *call) {
  sim_self->address = address;
  return thread_wait(&kernel.addresses, deadline, call);
}

/// Whether a thread waits there. What is one of libuv's variables is another one in each process.
static bool waits_at(const struct thread *thread, const void *address) {
  return thread->address == address && (!library_has(address) || thread->process == sim_self->process);
}

int thread_wake_at(const void *address, int most) {
  int woken = 0;
  while (woken < most) {
    size_t count = 0;
    for (struct thread *thread = kernel.addresses.first; thread; thread = thread->next)
      count += waits_at(thread, address);
    if (!count) break;
    size_t chosen = count == 1 ? 0 : draw_below(&kernel.draws[DRAW_WAKE], count);
    struct thread *thread = kernel.addresses.first;
    while (!waits_at(thread, address) || chosen-- > 0) thread = thread->next;
    thread_wake(thread, SIM_WOKEN);
    woken++;
  }
  return woken;
}
