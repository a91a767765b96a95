// Calls that are interrupted by a signal, and sockets that aren't ready although epoll has said so: where Linux may do that,
// the weather does.

#include "files.h"

bool interruption_is_drawn(void) {
  struct thread *self = sim_self;
  // Not twice, so that a second try gets on.
  self->was_interrupted = !self->was_interrupted && fault_is_due(DRAW_INTERRUPTION, kernel.weather.interruption);
  return self->was_interrupted;
}

enum sim_reason thread_wait_interruptibly(struct queue *queue, uint64_t deadline, const char *call) {
  if (deadline <= kernel.now || !interruption_is_due()) return thread_wait(queue, deadline, call);
  sim_self->tries_again = false;
  // The signal comes at once, or within the time.
  uint64_t until =
      kernel.now + (deadline == NEVER ? 0 : draw_below(&kernel.draws[DRAW_INTERRUPTION], deadline - kernel.now));
  enum sim_reason reason = thread_wait(queue, until, call);
  return reason == SIM_TIMED_OUT ? SIM_INTERRUPTED : reason;
}

int file_wait(struct file *file, const char *call) {
  sim_self->tries_again = true;
  enum sim_reason reason = thread_wait_interruptibly(&file->waiters, NEVER, call);
  return reason == SIM_INTERRUPTED && !sim_self->tries_again ? -EINTR : 0;
}

bool refusal_is_drawn(struct file *file) {
  if (!(file->flags & O_NONBLOCK) || !socket_may_refuse(file)) return false;
  file->was_refused = !file->was_refused && fault_is_due(DRAW_REFUSAL, kernel.weather.refusal);
  // Waiters for a change hear of it.
  if (file->was_refused) file_changed(file);
  return file->was_refused;
}
