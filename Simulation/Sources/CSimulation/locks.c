// Locks, conditions and their like. A lock is libc's own, so that threads outside of the world may share it. Only waiting is
// simulated.

#include "kernel.h"
#include "real.h"

#include <semaphore.h>
#include <string.h>
#include <time.h>

// MARK: Locks

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!IS_SIMULATED) return REAL(pthread_mutex_lock)(mutex);
  int code;
  while ((code = REAL(pthread_mutex_trylock)(mutex)) == EBUSY) {
    // A thread outside holds it, and lets go of it in a moment.
    if (!slot_is_owner(mutex->__data.__owner)) return REAL(pthread_mutex_lock)(mutex);
    thread_wait_at(mutex, NEVER, "pthread_mutex_lock");
  }
  return code;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  int code = REAL(pthread_mutex_unlock)(mutex);
  if (IS_SIMULATED && kernel.addresses.first) thread_wake_at(mutex, 1);
  return code;
}

static uint64_t deadline_of(const struct timespec *time, bool is_monotonic) {
  uint64_t moment = (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
  const struct sim_host *host = sim_self->host;
  return host_moment(host, is_monotonic ? host->uptime : host->date, moment);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
  if (!IS_SIMULATED) return REAL(pthread_mutex_timedlock)(mutex, time);
  int code;
  while ((code = REAL(pthread_mutex_trylock)(mutex)) == EBUSY) {
    if (thread_wait_at(mutex, deadline_of(time, false), "pthread_mutex_timedlock") == SIM_TIMED_OUT)
      return ETIMEDOUT;
  }
  return code;
}

// MARK: Conditions

static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline, const char *call) {
  pthread_mutex_unlock(mutex);
  enum sim_reason reason = SIM_WOKEN;
  // One may wake for nothing, if a signal comes.
  if (interruption_is_due()) thread_yield();
  else while ((reason = thread_wait_at(condition, deadline, call)) == SIM_INTERRUPTED) {}
  pthread_mutex_lock(mutex);
  return reason == SIM_TIMED_OUT ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (!IS_SIMULATED) return REAL(pthread_cond_wait)(condition, mutex);
  return wait_for(condition, mutex, NEVER, "pthread_cond_wait");
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  if (!IS_SIMULATED) return REAL(pthread_cond_timedwait)(condition, mutex, time);
  // glibc notes the clock of a condition there.
  bool is_monotonic = condition->__data.__wrefs & 2;
  return wait_for(condition, mutex, deadline_of(time, is_monotonic), "pthread_cond_timedwait");
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
  if (!IS_SIMULATED) return REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  return wait_for(condition, mutex, deadline_of(time, clock == CLOCK_MONOTONIC), "pthread_cond_clockwait");
}

int pthread_cond_signal(pthread_cond_t *condition) {
  if (IS_SIMULATED && kernel.addresses.first && thread_wake_at(condition, 1)) return 0;
  return REAL(pthread_cond_signal)(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (IS_SIMULATED && kernel.addresses.first) thread_wake_at(condition, INT32_MAX);
  return REAL(pthread_cond_broadcast)(condition);
}

// MARK: Locks of readers and a writer

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  if (!IS_SIMULATED) return REAL(pthread_rwlock_rdlock)(lock);
  int code;
  while ((code = REAL(pthread_rwlock_tryrdlock)(lock)) == EBUSY)
    thread_wait_at(lock, NEVER, "pthread_rwlock_rdlock");
  return code;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (!IS_SIMULATED) return REAL(pthread_rwlock_wrlock)(lock);
  int code;
  while ((code = REAL(pthread_rwlock_trywrlock)(lock)) == EBUSY)
    thread_wait_at(lock, NEVER, "pthread_rwlock_wrlock");
  return code;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  int code = REAL(pthread_rwlock_unlock)(lock);
  if (IS_SIMULATED && kernel.addresses.first) thread_wake_at(lock, INT32_MAX);
  return code;
}

// MARK: Semaphores

static int wait_for_semaphore(sem_t *semaphore, uint64_t deadline, const char *call) {
  while (sem_trywait(semaphore) < 0) {
    enum sim_reason reason = SIM_INTERRUPTED;
    sim_self->tries_again = true;
    if (interruption_is_due()) sim_self->tries_again = false;
    else reason = thread_wait_at(semaphore, deadline, call);
    if (reason == SIM_WOKEN || (reason == SIM_INTERRUPTED && sim_self->tries_again)) continue;
    errno = reason == SIM_TIMED_OUT ? ETIMEDOUT : EINTR;
    return -1;
  }
  return 0;
}

int sem_wait(sem_t *semaphore) {
  if (!IS_SIMULATED) return REAL(sem_wait)(semaphore);
  return wait_for_semaphore(semaphore, NEVER, "sem_wait");
}

int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
  if (!IS_SIMULATED) return REAL(sem_timedwait)(semaphore, time);
  return wait_for_semaphore(semaphore, deadline_of(time, false), "sem_timedwait");
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time) {
  if (!IS_SIMULATED) return REAL(sem_clockwait)(semaphore, clock, time);
  return wait_for_semaphore(semaphore, deadline_of(time, clock == CLOCK_MONOTONIC), "sem_clockwait");
}

int sem_post(sem_t *semaphore) {
  int code = REAL(sem_post)(semaphore);
  if (IS_SIMULATED && kernel.addresses.first) thread_wake_at(semaphore, 1);
  return code;
}

// MARK: Barriers, and what is done once

/// How many a barrier waits for, and how many have come.
static struct barrier { const void *address; unsigned needed, arrived; } barriers[256];

void barriers_forget(void) { memset(barriers, 0, sizeof barriers); }

static struct barrier *barrier_at(const void *address) {
  for (int i = 0; i < 256; i++) {
    if (barriers[i].address == address) return &barriers[i];
  }
  return NULL;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count) {
  if (!IS_SIMULATED) return REAL(pthread_barrier_init)(barrier, attributes, count);
  struct barrier *place = barrier_at(barrier);
  if (!place) place = barrier_at(NULL);
  if (!place) {
    sim_fail("more than 256 barriers of pthread");
    return ENOMEM;
  }
  *place = (struct barrier){barrier, count, 0};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  if (!IS_SIMULATED) return REAL(pthread_barrier_destroy)(barrier);
  struct barrier *place = barrier_at(barrier);
  if (place) *place = (struct barrier){0};
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
  struct barrier *place;
  if (!IS_SIMULATED || !(place = barrier_at(barrier))) return REAL(pthread_barrier_wait)(barrier);
  if (++place->arrived < place->needed) {
    while (thread_wait_at(barrier, NEVER, "pthread_barrier_wait") == SIM_INTERRUPTED) {}
    return 0;
  }
  place->arrived = 0;
  thread_wake_at(barrier, INT32_MAX);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_once(pthread_once_t *control, void (*body)(void)) {
  if (IS_SIMULATED) {
    // Another thread of the world is at it, and waits for something.
    while ((*control & 3) == 1) thread_spin();
  }
  return REAL(pthread_once)(control, body);
}
