// Threads of libc's that only wait, so that simulated threads have stacks and thread-local storage. They are used again.

#include "kernel.h"
#include "real.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct slot *unused;
static struct slot *all[4096];
static int count;

static void real_wait(int *word, int value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
    REAL(syscall)(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void real_store_and_wake(int *word, int value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  REAL(syscall)(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *storage_of_this_thread(void) {
  void *storage;
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(storage));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(storage));
#endif
  return storage;
}

static void *park(void *argument) {
  struct slot *slot = argument;
  sigset_t every;
  sigfillset(&every);
  REAL(pthread_sigmask)(SIG_SETMASK, &every, NULL);
  slot->id = pthread_self();
  slot->number = (int)REAL(syscall)(SYS_gettid);
  slot->start.storage = storage_of_this_thread();
  // What this thread itself still needs lies above.
  slot->start.stack = (void *)(((uintptr_t)__builtin_frame_address(0) - 32768) & ~(uintptr_t)15);
  real_store_and_wake(&slot->is_parked, 1);
  real_wait(&slot->is_released, 0);
  // Whatever a dropped thread had made is nobody's any more.
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
    if (pthread_getspecific(key)) pthread_setspecific(key, NULL);
  }
  sim_self = NULL;
  free(slot);
  return NULL;
}

struct slot *slot_take(void) {
  struct slot *slot = unused;
  if (slot) {
    unused = slot->next;
    return slot;
  }
  slot = calloc(1, sizeof *slot);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8 << 20);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t id;
  if (count == sizeof all / sizeof *all || REAL(pthread_create)(&id, &attributes, park, slot) != 0) abort();
  pthread_attr_destroy(&attributes);
  real_wait(&slot->is_parked, 0);
  all[count++] = slot;
  return slot;
}

void slot_give_back(struct slot *slot, bool is_clean) {
  if (is_clean) {
    slot->next = unused;
    unused = slot;
    return;
  }
  for (int i = 0; i < count; i++) {
    if (all[i] == slot) {
      all[i] = all[--count];
      break;
    }
  }
  real_store_and_wake(&slot->is_released, 1);
}

bool slot_is_owner(int number) {
  for (int i = 0; i < count; i++) {
    if (all[i]->number == number) return true;
  }
  return false;
}
