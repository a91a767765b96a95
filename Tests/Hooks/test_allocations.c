#include "test_hooks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef __GLIBC__
#include <malloc.h>

// Where a sanitizer stands in front of the allocator, it knows.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

long test_heap_in_use(void) {
  if (__sanitizer_get_current_allocated_bytes) return (long)__sanitizer_get_current_allocated_bytes();
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#else
long test_heap_in_use(void) { return -1; }
#endif

static _Atomic int is_counting;
static _Atomic uint64_t blocks, bytes;

void test_allocations_count(int on) { is_counting = on; }
uint64_t test_allocations(void) { return blocks; }
uint64_t test_allocated_bytes(void) { return bytes; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)
int test_allocations_can_count(void) { return 1; }

// What glibc calls its own allocator. The functions below take the place of the usual ones for every object
// of the process, libuv and the Swift runtime included; `free` needs none.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline size_t counted(size_t size) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
  }
  return size;
}

void *malloc(size_t size) { return __libc_malloc(counted(size)); }

void *calloc(size_t count, size_t size) {
  counted(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) { return __libc_realloc(block, counted(size)); }

void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, counted(size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *fresh = memalign(alignment, size);
  if (fresh == NULL) return ENOMEM;
  *block = fresh;
  return 0;
}
#else
int test_allocations_can_count(void) { return 0; }
#endif
