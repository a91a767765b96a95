// Time: it stands while a thread runs.

#include "kernel.h"
#include "real.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static bool is_date(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static bool is_uptime(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME;
}

static struct timespec spec_of(uint64_t nanoseconds) {
  return (struct timespec){(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
}

/// Reading the clock takes no time, unless it is read again and again without a call that waits: a program may well wait for
/// the clock so.
static void note_look(void) {
  enum { FREE_READS = 1000, COST = 1000 };
  if (++kernel.clock_reads > FREE_READS) kernel.now += COST;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!IS_SIMULATED) return REAL(clock_gettime)(clock, time);
  note_look();
  const struct sim_host *host = sim_self->host;
  if (is_date(clock)) {
    *time = spec_of(host_clock(host, host->date));
  } else if (is_uptime(clock)) {
    *time = spec_of(host_clock(host, host->uptime));
  } else {
    fail_missing("clock_gettime of a clock of processor time", __builtin_return_address(0));
    errno = EINVAL;
    return -1;
  }
  return 0;
}

int clock_getres(clockid_t clock, struct timespec *time) {
  if (!IS_SIMULATED) return REAL(clock_getres)(clock, time);
  if (time) *time = spec_of(1);
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (!IS_SIMULATED) return REAL(gettimeofday)(time, zone);
  note_look();
  uint64_t now = host_clock(sim_self->host, sim_self->host->date);
  time->tv_sec = (time_t)(now / 1000000000);
  time->tv_usec = (suseconds_t)(now % 1000000000 / 1000);
  return 0;
}

time_t time(time_t *place) {
  if (!IS_SIMULATED) return REAL(time)(place);
  note_look();
  time_t now = (time_t)(host_clock(sim_self->host, sim_self->host->date) / 1000000000);
  if (place) *place = now;
  return now;
}

// MARK: Sleeping

/// Returns whether a signal has cut it short.
static bool sleep_until(uint64_t moment) {
  struct queue queue = {0};
  bool is_cut = thread_wait_interruptibly(&queue, moment, "nanosleep") == SIM_INTERRUPTED;
  trace_call(CALL_nanosleep, -1, is_cut ? -EINTR : 0, 0);
  if (is_cut) errno = EINTR;
  return is_cut;
}

/// The moment when so much time has passed by the host's clocks.
static uint64_t after(uint64_t span) { return kernel.now + host_span(sim_self->host, span); }

static uint64_t rest_until(uint64_t moment) { return moment > kernel.now ? moment - kernel.now : 0; }

static bool is_valid(const struct timespec *time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static uint64_t nanoseconds_of(const struct timespec *time) {
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

int nanosleep(const struct timespec *length, struct timespec *rest) {
  if (!IS_SIMULATED) return REAL(nanosleep)(length, rest);
  if (!is_valid(length)) {
    errno = EINVAL;
    return -1;
  }
  uint64_t until = after(nanoseconds_of(length));
  if (!sleep_until(until)) return 0;
  if (rest) *rest = spec_of(rest_until(until));
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length, struct timespec *rest) {
  if (!IS_SIMULATED) return REAL(clock_nanosleep)(clock, flags, length, rest);
  if (!is_valid(length)) return EINVAL;
  uint64_t until = nanoseconds_of(length);
  if (flags & TIMER_ABSTIME) {
    const struct sim_host *host = sim_self->host;
    until = host_moment(host, is_date(clock) ? host->date : host->uptime, until);
  } else {
    until = after(until);
  }
  if (!sleep_until(until)) return 0;
  if (rest && !(flags & TIMER_ABSTIME)) *rest = spec_of(rest_until(until));
  return EINTR;
}

int usleep(useconds_t microseconds) {
  if (!IS_SIMULATED) return REAL(usleep)(microseconds);
  return sleep_until(after((uint64_t)microseconds * 1000)) ? -1 : 0;
}

unsigned sleep(unsigned seconds) {
  if (!IS_SIMULATED) return REAL(sleep)(seconds);
  uint64_t until = after((uint64_t)seconds * 1000000000);
  return sleep_until(until) ? (unsigned)((rest_until(until) + 999999999) / 1000000000) : 0;
}
