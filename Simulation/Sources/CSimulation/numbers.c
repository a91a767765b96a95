// Calls by their number: futexes, on which Swift's locks stand, and a few others.

#include "disk.h"
#include "real.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// MARK: Random bytes

void random_fill(void *bytes, size_t size) {
  char *next = bytes;
  while (size > 0) {
    uint64_t number = draw_number(&kernel.draws[DRAW_RANDOM]);
    size_t length = size < 8 ? size : 8;
    memcpy(next, &number, length);
    next += length;
    size -= length;
  }
}

static ssize_t random_bytes(void *bytes, size_t size) {
  random_fill(bytes, size);
  return traced(CALL_random, -1, (long)size, hash_bytes(bytes, size));
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
  return IS_SIMULATED ? random_bytes(bytes, size) : REAL(getrandom)(bytes, size, flags);
}

int getentropy(void *bytes, size_t size) {
  if (!IS_SIMULATED) return REAL(getentropy)(bytes, size);
  random_bytes(bytes, size);
  return 0;
}

// MARK: Futexes

/// A thread's number; no host's is that of the process, so that none is taken for the main thread.
static int thread_number(const struct thread *thread) { return 1000000 + thread->number; }

static long wait_while(uint32_t *word, uint32_t value, const struct timespec *limit, bool is_moment) {
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) return -EAGAIN;
  uint64_t deadline = NEVER;
  if (limit) {
    deadline = (uint64_t)limit->tv_sec * 1000000000 + (uint64_t)limit->tv_nsec;
    const struct sim_host *host = sim_self->host;
    deadline = is_moment ? host_moment(host, host->uptime, deadline) : kernel.now + host_span(host, deadline);
  }
  return thread_wait_at(word, deadline, "futex") == SIM_TIMED_OUT ? -ETIMEDOUT : 0;
}

static long lock_with_owner(uint32_t *word, bool tries) {
  for (;;) {
    uint32_t owner = __atomic_load_n(word, __ATOMIC_ACQUIRE) & FUTEX_TID_MASK;
    if (!owner) {
      __atomic_store_n(word, (uint32_t)thread_number(sim_self), __ATOMIC_RELEASE);
      return 0;
    }
    if (owner == (uint32_t)thread_number(sim_self)) return -EDEADLK;
    if (tries) return -EAGAIN;
    if (owner < 1000000) {
      // A thread outside holds it, and lets go of it in a moment.
      REAL(usleep)(10);
      continue;
    }
    // Its owner then asks to unlock it.
    __atomic_fetch_or(word, FUTEX_WAITERS, __ATOMIC_ACQ_REL);
    thread_wait_at(word, NEVER, "futex");
  }
}

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return wait_while(word, value, limit, false);
    case FUTEX_WAIT_BITSET: return wait_while(word, value, limit, true);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      int woken = thread_wake_at(word, value > INT32_MAX ? INT32_MAX : (int)value);
      // A thread outside may wait, too.
      if (!woken) REAL(syscall)(SYS_futex, word, FUTEX_WAKE_PRIVATE, value, NULL, NULL, 0);
      return woken;
    }
    case FUTEX_LOCK_PI: return lock_with_owner(word, false);
    case FUTEX_TRYLOCK_PI: return lock_with_owner(word, true);
    case FUTEX_UNLOCK_PI:
      __atomic_store_n(word, 0, __ATOMIC_RELEASE);
      thread_wake_at(word, 1);
      return 0;
    default: fail_missing("futex with another operation", NULL); return -ENOSYS;
  }
}

// MARK: By number

long statx_simulated(int directory, const char *path, int flags, struct statx *to);

static long by_number(long number, const long a[6], const void *caller) {
  switch (number) {
    case SYS_futex: return futex((uint32_t *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3]);
    case SYS_gettid: return thread_number(sim_self);
    case SYS_getpid: return getpid();
    // libuv closes by number, so that no thread is cancelled there.
    case SYS_close: return close((int)a[0]) < 0 ? -errno : 0;
    case SYS_statx: return statx_simulated((int)a[0], (const char *)a[1], (int)a[2], (struct statx *)a[4]);
    case SYS_recvmmsg: {
      int count = recvmmsg((int)a[0], (struct mmsghdr *)a[1], (unsigned)a[2], (int)a[3], NULL);
      return count < 0 ? -errno : count;
    }
    case SYS_sendmmsg: {
      int count = sendmmsg((int)a[0], (struct mmsghdr *)a[1], (unsigned)a[2], (int)a[3]);
      return count < 0 ? -errno : count;
    }
    case SYS_preadv: {
      ssize_t size = preadv((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]);
      return size < 0 ? -errno : size;
    }
    case SYS_pwritev: {
      ssize_t size = pwritev((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]);
      return size < 0 ? -errno : size;
    }
    case SYS_getdents64: return disk_entries((int)a[0], (char *)a[1], (size_t)a[2]);
    // As on Linux before 5.6: a folder is then opened by its path.
    case 437 /* openat2 */: return -ENOSYS;
    // libuv copies in another way then.
    case SYS_copy_file_range: return -ENOSYS;
    case SYS_getrandom: random_fill((void *)a[0], (size_t)a[1]); return a[1];
    // As on Linux before 5.3: children are libuv's then, whose `fork` is simulated.
    case 434 /* pidfd_open */: return -ENOSYS;
    // libuv does without it.
    case 425 /* io_uring_setup */: return -ENOSYS;
    default: {
      char text[40];
      snprintf(text, sizeof text, "system call %ld", number);
      fail_missing(text, caller);
      return -ENOSYS;
    }
  }
}

long syscall(long number, ...) {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (!IS_SIMULATED) return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  long result = by_number(number, a, __builtin_return_address(0));
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

pid_t gettid(void) { return IS_SIMULATED ? thread_number(sim_self) : REAL(gettid)(); }
