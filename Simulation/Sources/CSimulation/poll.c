// poll: a thread that waits for a few descriptors at once.

#include "files.h"
#include "real.h"

#include <poll.h>
#include <stdlib.h>

struct polled {
  struct watch watch;
  struct queue *queue;
};

static void polled_changed(struct watch *watch) { queue_wake_all(((struct polled *)watch)->queue); }

static int polled_count(struct pollfd *targets, nfds_t count) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    targets[i].revents = 0;
    if (targets[i].fd < 0) continue;
    struct file *file = file_of(targets[i].fd);
    if (!file) targets[i].revents = POLLNVAL;
    else if (!file->kind->poll) targets[i].revents = targets[i].events & (POLLIN | POLLOUT);
    else targets[i].revents = (short)(file->kind->poll(file) & (uint32_t)(targets[i].events | POLLERR | POLLHUP));
    ready += targets[i].revents != 0;
  }
  return ready;
}

int poll(struct pollfd *targets, nfds_t count, int timeout) {
  if (!IS_SIMULATED) return REAL(poll)(targets, count, timeout);
  uint64_t deadline = timeout < 0 ? NEVER : kernel.now + host_span(sim_self->host, (uint64_t)timeout * 1000000);
  int ready;
  while (!(ready = polled_count(targets, count)) && timeout != 0) {
    struct queue queue = {0};
    struct polled *polled = calloc(count + 1, sizeof *polled);
    for (nfds_t i = 0; i < count; i++) {
      struct file *file = targets[i].fd < 0 ? NULL : file_of(targets[i].fd);
      if (!file) continue;
      polled[i] = (struct polled){.watch = {.changed = polled_changed}, .queue = &queue};
      file_hold(file);
      watch_add(&polled[i].watch, file);
    }
    enum sim_reason reason = thread_wait_interruptibly(&queue, deadline, "poll");
    for (nfds_t i = 0; i < count; i++) {
      struct file *file = polled[i].watch.file;
      if (!file) continue;
      watch_remove(&polled[i].watch);
      file_release(file);
    }
    free(polled);
    if (reason == SIM_TIMED_OUT) break;
    if (reason == SIM_INTERRUPTED) {
      ready = -EINTR;
      break;
    }
  }
  return (int)traced(CALL_poll, -1, ready, count);
}
