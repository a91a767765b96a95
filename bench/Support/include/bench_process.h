#pragma once

#include <sys/types.h>

/// Asks the kernel to kill this process when `parent` ends, and ends it at once
/// if that has happened already. Elsewhere than on Linux, the end of standard
/// input does the same a little later.
void bench_die_with_parent(pid_t parent);

/// The same with a signal that the process may heed, to end its own children first.
void bench_end_with_parent(pid_t parent);

/// Chooses the processors for this process and those that it starts, as `BENCH_CPUS` does in the
/// environment: a list such as `2,3`, the first for the measured side; `off`; or an empty text for
/// all of them. To be called while there is one thread and it is not pinned. Returns the first
/// processor of the list that this process may not run on, or -1.
int bench_choose_cpus(const char *list);

/// Whether threads can be confined to a processor here.
int bench_can_pin(void);

/// How many processors this process may run on.
int bench_usable_cpus(void);

/// The `rank`-th processor that this process may run on, or -1.
int bench_usable_cpu(int rank);

/// Confines the calling thread, and threads it starts later, to one processor.
/// Zero where that worked; -1 where the system cannot.
int bench_pin_thread(int cpu);

/// Undoes `bench_pin_thread` for the calling thread.
void bench_unpin_thread(void);

/// Keeps all threads of this process on the processor of rank 0, where another process
/// competes for it, or lets them go again. Zero where that worked.
int bench_confine_process(int confined);

/// Raises the soft limit of open descriptors to the hard one.
void bench_raise_descriptor_limit(void);
