#include "bench_heap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

// Where a sanitizer stands in front of the allocator, it knows.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

long bench_heap_in_use(void) {
  if (__sanitizer_get_current_allocated_bytes) return (long)__sanitizer_get_current_allocated_bytes();
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#else
long bench_heap_in_use(void) { return -1; }
#endif
