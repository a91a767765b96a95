// A thread's turns as another thread may see them, and the stack of a thread that is stuck.
//
// This is C because most of it runs in a signal handler. Swift code may allocate or take a lock at any place,
// for example to make a type's metadata, and a handler that interrupts `malloc` must do neither.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Finds where a Swift task was spawned: UTF-8 that is part of the program, its length, and the line. It is
/// called in a signal handler on the thread that runs the task, and may only read memory.
typedef bool (*stall_find_place)(
    const void *context, const void *task, const char **file, uint32_t *length, uint32_t *line);

/// The turn that a thread is in.
struct stall_turn {
  /// When it began, in milliseconds of `stall_now`, above the last bits of the turn's number; 0 while the
  /// thread waits for work. These two words come first: the code that marks the turns may know nothing else
  /// of this.
  uint64_t start;
  uint64_t number;
  /// The thread and its stack. The thread is 0 while none is watched.
  int thread;
  uintptr_t low, high;
  /// Finds the place of the running task, with its context; null if nothing does.
  stall_find_place find;
  const void *context;
};

// Two turns may begin in the same millisecond, the more so as a loop's clock may be late.
enum { STALL_NUMBER_BITS = 20 };
static inline void stall_turn_begin(struct stall_turn *turn, uint64_t now) {
  uint64_t number = ++turn->number & ((1 << STALL_NUMBER_BITS) - 1);
  __atomic_store_n(&turn->start, now << STALL_NUMBER_BITS | number, __ATOMIC_RELAXED);
}
static inline void stall_turn_end(struct stall_turn *turn) { __atomic_store_n(&turn->start, 0, __ATOMIC_RELAXED); }
static inline uint64_t stall_turn_start(const struct stall_turn *turn) {
  return __atomic_load_n(&turn->start, __ATOMIC_RELAXED);
}
static inline uint64_t stall_turn_time(uint64_t start) { return start >> STALL_NUMBER_BITS; }

/// Milliseconds of the clock that libuv's is.
uint64_t stall_now(void);

/// Notes the calling thread as the one whose turns these are.
void stall_turn_bind(struct stall_turn *turn, int signal);

/// The registers by their DWARF numbers, without the program counter, and a copy of the stack above the stack
/// pointer.
enum { STALL_REGISTERS = 32, STALL_WORDS = 16384 };
struct stall_capture {
  uintptr_t registers[STALL_REGISTERS], pc, sp;
  size_t count;
  uintptr_t words[STALL_WORDS];
  /// Where the task was spawned that the thread was running; null if none or unknown.
  const char *file;
  uint32_t length, line;
};

static inline const uintptr_t *stall_registers(const struct stall_capture *capture) { return capture->registers; }
static inline const uintptr_t *stall_words(const struct stall_capture *capture) { return capture->words; }

/// The signal that is used by default; 0 where no stack can be captured.
int stall_default_signal(void);

/// Starts the watching thread, which has a name and takes no signals; it ends when `body` returns. The
/// library that this is part of stays in memory from then on. Returns 0 or `errno`.
int stall_start_watchdog(void (*body)(void));

/// Installs the handler. Returns 0 or `errno`. On one thread at a time, as what follows.
int stall_install(int signal);

/// Puts back what was there before. Does nothing while a signal is on its way that has not arrived.
void stall_uninstall(int signal);

/// Interrupts the thread of a turn that began at `start`. Returns false if there is none.
bool stall_send(const struct stall_turn *turn, uint64_t start, int signal);

/// Waits for the stack of the thread that was interrupted. Returns null if the turn was over by then, or if
/// the thread doesn't answer within a second. The stack is valid until the next `stall_send`.
const struct stall_capture *stall_wait(void);

/// The file that contains the code at an address, how far it was moved, and its `.eh_frame_hdr`.
struct stall_module {
  char path[512];
  uintptr_t bias;
  const uint8_t *unwind_table;
};
bool stall_find_module(uintptr_t address, struct stall_module *module);

/// The name of the exported function at an address; null if none is known.
const char *stall_exported_name(uintptr_t address);

/// Maps a file into memory to read it. Returns null if that fails.
const void *stall_map_file(const char *path, size_t *size);
void stall_unmap_file(const void *bytes, size_t size);

/// The Swift runtime's demangler. The result is from `malloc`; null if the name isn't Swift's.
char *stall_demangle(const char *name, size_t length);
