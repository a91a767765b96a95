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

/// Switches on or off the account of what is held: blocks obtained less blocks given back, whatever the allocator
/// keeps for the next that asks.
void bench_hooks_track(int on);

/// Bytes, as the allocator has rounded them up, obtained less given back while that account was kept.
int64_t bench_hooks_live_bytes(void);

/// Blocks obtained less given back while that account was kept.
int64_t bench_hooks_live_blocks(void);

/// Whether counting is on.
int bench_hooks_is_counting(void);

/// System calls made through the C library while counting was on, waits and calls in vain
/// left out.
uint64_t bench_hooks_system_calls(void);

/// Calls that found nothing to do (EAGAIN) or wrote a part only: how many depends on timing.
uint64_t bench_hooks_vain_calls(void);

/// Calls that wait for something to happen: a loop makes one in each iteration.
uint64_t bench_hooks_waits(void);

/// Jobs of Swift tasks run by executors of this program.
uint64_t bench_hooks_jobs(void);

/// Wake-ups of a loop of libuv from other threads.
uint64_t bench_hooks_wakeups(void);

/// Does nothing; a profiler may be set to act when it is called.
void bench_hooks_mark(void);

/// From here on stops the main thread for `length_ns` in every `interval_ns`, as a
/// long garbage collection or a blocking call in a callback would. Zero, or -1 where
/// there are no such timers.
int bench_hooks_stall(uint64_t interval_ns, uint64_t length_ns);
