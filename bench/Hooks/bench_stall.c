#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "bench_hooks.h"

#ifdef __linux__
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct timespec length;

static void on_signal(int number) {
  (void)number;
  int saved = errno;
  struct timespec left = length;
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  errno = saved;
}

static struct timespec in_seconds(uint64_t nanoseconds) {
  return (struct timespec){
      .tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u)};
}

int bench_hooks_stall(uint64_t interval_ns, uint64_t length_ns) {
  length = in_seconds(length_ns);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR2, &action, NULL);
  // The main thread's id is that of the process: the loop runs there.
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
  event.sigev_notify_thread_id = getpid();
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return -1;
  struct itimerspec when = {.it_interval = in_seconds(interval_ns), .it_value = in_seconds(interval_ns)};
  return timer_settime(timer, 0, &when, NULL);
}
#else
int bench_hooks_stall(uint64_t interval_ns, uint64_t length_ns) {
  (void)interval_ns;
  (void)length_ns;
  return -1;
}
#endif
