#include "bench_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

long bench_resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  long size, resident;
  int count = fscanf(file, "%ld %ld", &size, &resident);
  fclose(file);
  return count == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

void *bench_heap_take(long mebibytes) {
  if (mebibytes == 0) return NULL;
  char *memory = mmap(NULL, (size_t)mebibytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return NULL;
#ifdef MADV_NOHUGEPAGE
  madvise(memory, (size_t)mebibytes << 20, MADV_NOHUGEPAGE);
#endif
  for (size_t at = 0; at < (size_t)mebibytes << 20; at += 4096) memory[at] = 1;
  return memory;
}

void bench_heap_give_back(void *memory, long mebibytes) {
  if (memory) munmap(memory, (size_t)mebibytes << 20);
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
