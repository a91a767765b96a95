// When the requests of an open loop are due.

#ifdef __linux__
#include "session.h"

#include <errno.h>
#include <math.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

int arrivals_open(struct arrivals *arrivals, struct session *session) {
  arrivals->session = session;
  arrivals->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(session->epoll, EPOLL_CTL_ADD, arrivals->timer, &event) < 0) {
    return session_fail(session, "timerfd", errno);
  }
  return 0;
}

void arrivals_begin(struct arrivals *arrivals, uint64_t start_ns) {
  arrivals->due_ns = (double)start_ns;
  arrivals->random = arrivals->session->seed;
}

int arrivals_is_due(struct arrivals *arrivals, uint64_t now_ns) {
  uint64_t due = (uint64_t)arrivals->due_ns;
  if (due <= now_ns) return 1;
  struct itimerspec at = {
      .it_value = {.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)}};
  timerfd_settime(arrivals->timer, TFD_TIMER_ABSTIME, &at, NULL);
  return 0;
}

void arrivals_advance(struct arrivals *arrivals) {
  double interval = 1e9 / arrivals->session->rate;
  if (arrivals->session->poisson) {
    arrivals->random = bench_mix(arrivals->random);
    interval *= -log(((double)(arrivals->random >> 11) + 0.5) / 9007199254740992.0);
  }
  arrivals->due_ns += interval;
}

void arrivals_read(struct arrivals *arrivals) {
  uint64_t ticks;
  // None, where the timer was set anew meanwhile.
  if (read(arrivals->timer, &ticks, sizeof ticks) < 0) return;
}

void arrivals_close(struct arrivals *arrivals) {
  if (arrivals->timer >= 0) close(arrivals->timer);
}
#endif
