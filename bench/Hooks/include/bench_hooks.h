/// Counts the allocations of this process, exactly and without a preload, by
/// standing in front of glibc's allocator. Off until it is switched on; then the
/// price is one relaxed addition per call.
#pragma once

#include <stdint.h>

/// Whether this platform can count: glibc on Linux.
int bench_hooks_can_count(void);

/// Switches counting on or off.
void bench_hooks_count(int on);

/// Blocks obtained so far while counting was on (malloc, calloc, realloc of null or
/// to a new size, and the aligned forms).
uint64_t bench_hooks_allocations(void);

/// Bytes asked for in them.
uint64_t bench_hooks_bytes(void);

/// Blocks given back.
uint64_t bench_hooks_frees(void);
