#include "bench_hooks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// What is done at each call: nothing, or some of these.
enum { COUNTING = 1, TRACKING = 2 };
static _Atomic int doing;
static _Atomic uint64_t allocations, bytes;
static _Atomic int64_t live_bytes, live_blocks;

static void set(int what, int on) {
  if (on) atomic_fetch_or(&doing, what);
  else atomic_fetch_and(&doing, ~what);
}

// Asked in a thread's last calls, too; see bench_calls.c.
#if defined(__clang__)
#define UNWATCHED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNWATCHED
#endif

UNWATCHED static inline int is(int what) { return (atomic_load_explicit(&doing, memory_order_relaxed) & what) != 0; }

void bench_hooks_count(int on) { set(COUNTING, on); }
UNWATCHED int bench_hooks_is_counting(void) { return is(COUNTING); }
void bench_hooks_track(int on) { set(TRACKING, on); }
int64_t bench_hooks_live_bytes(void) { return atomic_load(&live_bytes); }
int64_t bench_hooks_live_blocks(void) { return atomic_load(&live_blocks); }
uint64_t bench_hooks_allocations(void) { return atomic_load(&allocations); }
uint64_t bench_hooks_bytes(void) { return atomic_load(&bytes); }

// A sanitizer stands in front of the allocator itself.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BENCH_HOOKS_SANITIZED 1
#endif
#endif

// A program without dynamic libraries has nothing to stand in front of; it counts only others.
#if defined(__linux__) && defined(__GLIBC__) && !defined(BENCH_HOOKS_SANITIZED) && !defined(BENCH_HOOKS_LEFT_OUT)
int bench_hooks_can_count(void) { return 1; }

// What glibc calls its own allocator; the names below then replace the usual ones
// for every object of the process, libuv and the Swift runtime included.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

/// Before a block is obtained.
static inline void note(size_t size) {
  if (!is(COUNTING)) return;
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

/// After a block has been obtained, or before it goes back.
static inline void *hold(void *block, int sign) {
  if (block == NULL || !is(TRACKING)) return block;
  atomic_fetch_add_explicit(&live_blocks, sign, memory_order_relaxed);
  atomic_fetch_add_explicit(&live_bytes, sign * (int64_t)malloc_usable_size(block), memory_order_relaxed);
  return block;
}

void *malloc(size_t size) {
  note(size);
  return hold(__libc_malloc(size), 1);
}

void *calloc(size_t count, size_t size) {
  note(count * size);
  return hold(__libc_calloc(count, size), 1);
}

void *realloc(void *block, size_t size) {
  note(size);
  hold(block, -1);
  void *moved = __libc_realloc(block, size);
  // One that has failed is where it was; to no size at all, it has gone.
  return moved == NULL && size > 0 ? (hold(block, 1), NULL) : hold(moved, 1);
}

void *memalign(size_t alignment, size_t size) {
  note(size);
  return hold(__libc_memalign(alignment, size), 1);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *fresh = memalign(alignment, size);
  if (fresh == NULL) return ENOMEM;
  *block = fresh;
  return 0;
}

void free(void *block) {
  hold(block, -1);
  __libc_free(block);
}
#else
int bench_hooks_can_count(void) { return 0; }
#endif
