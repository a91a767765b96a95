#pragma once

#include <stdint.h>
#include <sys/types.h>

/// Runs a program of others, and ends all that it has started when it is asked to.
///
/// The program is `command`, which a shell reads. What it prints goes to the end of the file `log`. This process adopts what its
/// descendants leave behind. It says on standard output `ended CODE CPU BYTES WALL`, when the program has ended: its code as a
/// shell says it, the processor time of all that has ended so far, the largest resident size that one of them had, and how long it
/// ran, times in nanoseconds. After SIGTERM,
/// or the end of `parent`, it asks every descendant to end, and makes them end after `grace` milliseconds. It returns when none is left.
int bench_tend(pid_t parent, int grace, const char *log, const char *command);

/// What a process and all its descendants have used and have.
struct bench_tree {
  /// Processor time, in nanoseconds. That of descendants that have ended is there to a hundredth of a second.
  uint64_t cpu_ns;
  /// Bytes of memory; those that several processes share are divided among them, where the system says so.
  uint64_t resident;
  int processes, threads;
};

/// Reads it, but for the memory unless `memory` isn't zero.
struct bench_tree bench_tree_read(pid_t root, int memory);

/// Confines every thread of the tree to a processor, or with -1 to those that this process may use, and with -2 to all of these but the last.
/// How many threads that were.
int bench_tree_confine(pid_t root, int cpu);

/// How many threads of the tree have had a tenth and more of the processor time of all of them; those that only wait don't count.
int bench_tree_busy_threads(pid_t root);

/// A port of 127.0.0.1 that nobody uses at the moment, or 0. It is none of those that the system gives out by itself, since another program
/// could be given it before the server listens on it.
uint16_t bench_free_port(void);
