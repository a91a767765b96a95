// The facts that another thread may know of a loop's turn, and the stack of a thread that is stuck.
//
// This is C because most of it runs in a signal handler. Swift code may allocate or take a lock at any place, for example
// to make a type's metadata, and a handler that interrupts `malloc` must do neither.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A slot of a loop's table of tasks. The layout is that of `TaskTable.Slot`.
struct cstack_slot {
  const void *key;
  const void *task;
  /// Where the task was spawned: UTF-8 that is part of the program, its length, and the line.
  const char *file;
  uint32_t length, line;
};

/// A loop's table of tasks. A handler that interrupts the loop's thread reads it, unless it is being changed.
struct cstack_tasks {
  const struct cstack_slot *slots;
  uint64_t bits;
  int is_changing;
};

// The fences keep the compiler from moving the changes. The reader is a handler on the same thread.
static inline void cstack_tasks_begin_change(struct cstack_tasks *tasks) {
  __atomic_store_n(&tasks->is_changing, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void cstack_tasks_end_change(struct cstack_tasks *tasks, const void *slots, uint64_t bits) {
  tasks->slots = (const struct cstack_slot *)slots;
  tasks->bits = bits;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&tasks->is_changing, 0, __ATOMIC_RELAXED);
}

/// The turn that a loop is in.
struct cstack_turn {
  /// When it began, in milliseconds of libuv's clock, above the last bits of the turn's number; 0 while the loop waits or
  /// doesn't run.
  uint64_t start;
  uint64_t number;
  /// The loop's thread and its stack, and the loop's tasks. The thread is 0 while the loop doesn't run.
  int thread;
  uintptr_t low, high;
  struct cstack_tasks tasks;
};

// Two turns may begin in the same millisecond, the more so as libuv's clock may be late.
enum { CSTACK_NUMBER_BITS = 20 };
static inline void cstack_turn_begin(struct cstack_turn *turn, uint64_t now) {
  uint64_t number = ++turn->number & ((1 << CSTACK_NUMBER_BITS) - 1);
  __atomic_store_n(&turn->start, now << CSTACK_NUMBER_BITS | number, __ATOMIC_RELAXED);
}
static inline uint64_t cstack_turn_time(uint64_t start) { return start >> CSTACK_NUMBER_BITS; }
static inline void cstack_turn_end(struct cstack_turn *turn) { __atomic_store_n(&turn->start, 0, __ATOMIC_RELAXED); }
static inline uint64_t cstack_turn_start(const struct cstack_turn *turn) {
  return __atomic_load_n(&turn->start, __ATOMIC_RELAXED);
}

/// Notes the calling thread as the one that runs the loop.
void cstack_turn_bind(struct cstack_turn *turn, int signal);

/// The registers by their DWARF numbers, without the program counter, and a copy of the stack above the stack pointer.
enum { CSTACK_REGISTERS = 32, CSTACK_WORDS = 16384 };
struct cstack_capture {
  uintptr_t registers[CSTACK_REGISTERS], pc, sp;
  size_t count;
  uintptr_t words[CSTACK_WORDS];
  /// Where the task was spawned that the thread was running; null if none or unknown.
  const char *file;
  uint32_t length, line;
};

static inline const uintptr_t *cstack_registers(const struct cstack_capture *capture) { return capture->registers; }
static inline const uintptr_t *cstack_words(const struct cstack_capture *capture) { return capture->words; }

/// The signal that is used by default; 0 where no stack can be captured.
int cstack_default_signal(void);

/// Gives the calling thread a name, and keeps all signals from it.
void cstack_become_watchdog(void);

/// Installs the handler. Returns 0 or `errno`. On one thread at a time, as what follows.
int cstack_install(int signal);

/// Puts back what was there before. Does nothing while a signal is on its way that has not arrived.
void cstack_uninstall(int signal);

/// Interrupts the thread of a turn that began at `start`. Returns false if there is none.
bool cstack_send(const struct cstack_turn *turn, uint64_t start, int signal);

/// Waits for the stack of the thread that was interrupted. Returns null if the turn was over by then, or if the thread
/// doesn't answer within a second. The stack is valid until the next `cstack_send`.
const struct cstack_capture *cstack_wait(void);

/// The file that contains the code at an address, how far it was moved, and its `.eh_frame_hdr`.
struct cstack_module {
  char path[512];
  uintptr_t bias;
  const uint8_t *unwind_table;
};
bool cstack_find_module(uintptr_t address, struct cstack_module *module);

/// Maps a file into memory to read it. Returns null if that fails.
const void *cstack_map_file(const char *path, size_t *size);
void cstack_unmap_file(const void *bytes, size_t size);

/// The Swift runtime's demangler. The result is from `malloc`; null if the name isn't Swift's.
char *cstack_demangle(const char *name, size_t length);
