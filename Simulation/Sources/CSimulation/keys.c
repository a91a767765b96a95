// Notes the destructors of thread-local values: libc runs them when its own thread ends, which a simulated thread isn't.

#include "keys.h"
#include "kernel.h"
#include "real.h"

static void (*destructors[PTHREAD_KEYS_MAX])(void *);

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  int code = REAL(pthread_key_create)(key, destructor);
  if (code == 0 && *key < PTHREAD_KEYS_MAX) destructors[*key] = destructor;
  return code;
}

int pthread_key_delete(pthread_key_t key) {
  if (key < PTHREAD_KEYS_MAX) destructors[key] = NULL;
  return REAL(pthread_key_delete)(key);
}

void keys_end_thread(void) {
  // A destructor may set values again; libc tries as often.
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
    bool is_done = true;
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
      if (!destructors[key]) continue;
      void *value = pthread_getspecific(key);
      if (!value) continue;
      is_done = false;
      pthread_setspecific(key, NULL);
      destructors[key](value);
    }
    if (is_done) return;
  }
}
