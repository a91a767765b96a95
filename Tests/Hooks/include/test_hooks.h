/// What tests need to see and to break beneath libuv. Linked into the test executable only; off unless armed.
#pragma once

#include <stdint.h>

/// How often loops of this process have looked for events, or -1 where that cannot be counted.
long test_loop_turns(void);

/// Bytes of the heap that are in use, or -1 where the allocator does not say.
long test_heap_in_use(void);

/// Whether allocations can be counted here: by glibc, without a sanitizer.
int test_allocations_can_count(void);

/// Counts the allocations of this process from now on, or no longer. Other threads count too.
void test_allocations_count(int on);

/// Blocks that were obtained while that was on.
uint64_t test_allocations(void);

/// Bytes that were asked for in them.
uint64_t test_allocated_bytes(void);

/// A fault that is no error: a read or write that takes less than was asked for.
#define TEST_FAULT_SHORT (-1)

/// Where a fault strikes.
enum test_fault_layer {
  /// The C library's functions that libuv and this library call.
  TEST_FAULT_SYSTEM = 1,
  /// libuv's allocator.
  TEST_FAULT_ALLOCATOR = 2,
  /// libuv's functions that this library calls.
  TEST_FAULT_LIBUV = 4,
};

/// Whether faults can be injected into all of `layers`.
int test_faults_reach(int layers);

/// From now on the `nth` call (counted from 1) that can fail in that way does, and the `count - 1` after it.
///
/// `error` is an `errno` (ENOMEM, EMFILE, EAGAIN, EINTR, EIO) or TEST_FAULT_SHORT. `only` is a function's
/// name, or null for all that can fail so.
void test_faults_arm(int error, int layers, long nth, long count, const char *only);

/// Ends that; returns how many calls have failed.
long test_faults_disarm(void);

/// The names of the functions in `layers` that can fail in that way, by their index from 0; null beyond the
/// last.
const char *test_faults_function(int index, int error, int layers);

/// How often such a function was called since faults were armed.
long test_faults_calls(const char *name);

/// Has libuv say from now on that the program is at this path, which stays valid; null for the true one.
void test_exepath(const char *path);

/// Has libuv say from now on that the process may have so much memory, until that is ended.
void test_constrained_memory(uint64_t limit);
void test_constrained_memory_end(void);

/// One call of the function that stands in for `uv_udp_try_send2`: its datagrams, and those of them with an address.
struct test_batch {
  int count, with_address;
};

/// The function. Its next calls take so many datagrams each, or return the code that stands there; then each takes all.
const void *test_batches_begin(const int *answers, int count);

/// Returns 1 and its call of this index since, or 0.
int test_batches_call(int index, struct test_batch *call);

/// Starts a process that makes connections to a port of this machine, and keeps them. Returns the descriptor
/// that it is ordered through, or -1.
int test_clients_start(uint16_t port, int *process);

/// Has it make `count` more; returns 0, or -1 if it has gone.
int test_clients_connect(int orders, int count);

/// Ends it, and its connections; returns 0 if it could make all of them.
int test_clients_end(int orders, int process);

/// Waits for a child that libuv no longer waits for; does nothing for one that has been waited for.
void test_reap(int process);

#ifdef __linux__
/// Takes IPv6 from this thread and those that it starts: the family, or only its addresses. Returns 0 or an error
/// number.
int test_without_ipv6(int has_sockets);

/// Starts a process that traces another one, without waiting for it, until it is killed or this process ends.
/// Returns 0 or an error number.
int test_trace(int process, int *tracer);
#endif
