#include "bench_hooks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static _Atomic int counting;
static _Atomic uint64_t allocations, bytes, frees;

void bench_hooks_count(int on) { atomic_store(&counting, on); }
int bench_hooks_is_counting(void) { return atomic_load_explicit(&counting, memory_order_relaxed); }
uint64_t bench_hooks_allocations(void) { return atomic_load(&allocations); }
uint64_t bench_hooks_bytes(void) { return atomic_load(&bytes); }
uint64_t bench_hooks_frees(void) { return atomic_load(&frees); }

// A sanitizer stands in front of the allocator itself.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BENCH_HOOKS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(BENCH_HOOKS_SANITIZED)
int bench_hooks_can_count(void) { return 1; }

// What glibc calls its own allocator; the names below then replace the usual ones
// for every object of the process, libuv and the Swift runtime included.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static inline void note(size_t size) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  note(size);
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  note(size);
  void *fresh = __libc_memalign(alignment, size);
  if (fresh == NULL) return ENOMEM;
  *block = fresh;
  return 0;
}

void free(void *block) {
  if (block != NULL && atomic_load_explicit(&counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
  }
  __libc_free(block);
}
#else
int bench_hooks_can_count(void) { return 0; }
#endif
