// A monotonic clock that a thread sets: takes the place of the C library's clock_gettime in this program.
#define _GNU_SOURCE
#include "VirtualClock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread int is_virtual;
static __thread uint64_t base, now;

static uint64_t milliseconds(struct timespec time) {
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void virtual_clock_begin(void) {
  struct timespec time;
  if (!is_virtual) {
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    base = milliseconds(time);
  }
  is_virtual = 1;
  now = 0;
}
void virtual_clock_set(uint64_t milliseconds) { now = milliseconds; }
uint64_t virtual_clock_get(void) { return now; }
void virtual_clock_end(void) { is_virtual = 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_virtual || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)) {
    return (int)syscall(SYS_clock_gettime, clock, time);
  }
  uint64_t total = base + now;
  time->tv_sec = (time_t)(total / 1000);
  time->tv_nsec = (long)(total % 1000) * 1000000;
  return 0;
}
