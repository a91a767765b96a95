// Threads that hosts start: libuv's pool, loops of groups, watchdogs.

#include "kernel.h"
#include "real.h"

#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

static bool belongs_to(const void *caller, const char *library) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, library);
}

int pthread_create(
    pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (!IS_SIMULATED) return REAL(pthread_create)(id, attributes, body, argument);
  if (belongs_to(__builtin_return_address(0), "libdispatch")) {
    fail_missing("a thread of Dispatch's", __builtin_return_address(0));
    return EAGAIN;
  }
  int planned_code = planned(CALL_pthread_create);
  if (planned_code < 0) return -planned_code;
  struct thread *thread = thread_start(sim_self->process, body, argument);
  int detached = 0;
  if (attributes) pthread_attr_getdetachstate(attributes, &detached);
  thread->is_detached = detached == PTHREAD_CREATE_DETACHED;
  thread->blocked = sim_self->blocked;
  *id = thread->slot->id;
  trace_call(CALL_pthread_create, -1, thread->number, 0);
  return 0;
}

static struct thread *thread_of(pthread_t id) {
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->slot && pthread_equal(thread->slot->id, id)) return thread;
  }
  return NULL;
}

int pthread_join(pthread_t id, void **result) {
  if (!IS_SIMULATED) return REAL(pthread_join)(id, result);
  struct thread *thread = thread_of(id);
  if (!thread) return ESRCH;
  if (thread == sim_self) return EDEADLK;
  while (thread->state != ENDED) thread_wait(&thread->joiners, NEVER, "pthread_join");
  if (result) *result = thread->result;
  slot_give_back(thread->slot, true);
  thread->slot = NULL;
  trace_call(CALL_pthread_join, -1, thread->number, 0);
  return 0;
}

int pthread_detach(pthread_t id) {
  if (!IS_SIMULATED) return REAL(pthread_detach)(id);
  struct thread *thread = thread_of(id);
  if (!thread) return ESRCH;
  thread->is_detached = true;
  if (thread->state == ENDED) {
    slot_give_back(thread->slot, true);
    thread->slot = NULL;
  }
  return 0;
}

void pthread_exit(void *result) {
  if (IS_SIMULATED) thread_end(result);
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}

int sched_yield(void) {
  if (!IS_SIMULATED) return REAL(sched_yield)();
  thread_spin();
  return 0;
}

int prctl(int option, ...) {
  va_list rest;
  va_start(rest, option);
  unsigned long a = va_arg(rest, unsigned long), b = va_arg(rest, unsigned long), c = va_arg(rest, unsigned long),
                d = va_arg(rest, unsigned long);
  va_end(rest);
  if (!IS_SIMULATED) return REAL(prctl)(option, a, b, c, d);
  // A thread's name is for debuggers.
  if (option == PR_SET_NAME) return 0;
  fail_missing("prctl with another option", __builtin_return_address(0));
  errno = ENOSYS;
  return -1;
}

int pthread_setname_np(pthread_t id, const char *name) {
  return IS_SIMULATED ? 0 : REAL(pthread_setname_np)(id, name);
}

/// A host has four processors, whatever the machine has.
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  if (!IS_SIMULATED) return REAL(sched_getaffinity)(process, size, set);
  memset(set, 0, size);
  for (int i = 0; i < 4; i++) CPU_SET_S(i, size, set);
  return 0;
}

/// What libuv and OpenSSL would do in a child. There are none.
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object);
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object) {
  return IS_SIMULATED ? 0 : REAL(__register_atfork)(before, parent, child, object);
}
