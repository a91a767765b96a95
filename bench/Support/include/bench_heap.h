#pragma once

/// Bytes of the heap that are in use, or -1 where the allocator does not say.
long bench_heap_in_use(void);

/// Bytes of memory that the process has, or -1 where the system does not say.
long bench_resident(void);

/// Memory in small pages, each of them written to, or null. `bench_heap_give_back` ends it.
void *bench_heap_take(long mebibytes);
void bench_heap_give_back(void *memory, long mebibytes);

/// Has the allocator give back to the system what it keeps for the next that asks.
void bench_heap_trim(void);
