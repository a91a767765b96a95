// Takes the place of malloc in the executable, to count.
#include "allocations.h"

#include <errno.h>
#include <stddef.h>

// Threads may lose counts to each other; here only one works at a time.
static unsigned long count;

unsigned long allocations_made(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

#if defined(__linux__) && defined(__GLIBC__)
static void note(void) {
  __atomic_store_n(&count, __atomic_load_n(&count, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
#endif
