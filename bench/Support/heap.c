#include "bench_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long bench_resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  long size, resident;
  int count = fscanf(file, "%ld %ld", &size, &resident);
  fclose(file);
  return count == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

#ifdef __GLIBC__
#include <malloc.h>

void bench_heap_trim(void) { malloc_trim(0); }

// Where a sanitizer stands in front of the allocator, it knows.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

long bench_heap_in_use(void) {
  if (__sanitizer_get_current_allocated_bytes) return (long)__sanitizer_get_current_allocated_bytes();
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#else
void bench_heap_trim(void) {}
long bench_heap_in_use(void) { return -1; }
#endif
