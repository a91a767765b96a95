// What a watcher on another thread may know of a loop's turns and tasks. UV writes it; it knows nothing of who reads it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The turn that a loop is in, in memory of its watcher.
struct cuv_turn {
  /// When it began, in milliseconds of libuv's clock, above the last bits of the turn's number; 0 while the loop waits or
  /// doesn't run.
  uint64_t start;
  uint64_t number;
};

// Two turns may begin in the same millisecond, the more so as libuv's clock may be late.
enum { CUV_TURN_NUMBER_BITS = 20 };
static inline void cuv_turn_begin(struct cuv_turn *turn, uint64_t now) {
  uint64_t number = ++turn->number & ((1 << CUV_TURN_NUMBER_BITS) - 1);
  __atomic_store_n(&turn->start, now << CUV_TURN_NUMBER_BITS | number, __ATOMIC_RELAXED);
}
static inline void cuv_turn_end(struct cuv_turn *turn) { __atomic_store_n(&turn->start, 0, __ATOMIC_RELAXED); }

/// A slot of a loop's table of tasks. The layout is that of `TaskTable.Slot`.
struct cuv_task_slot {
  const void *key;
  const void *task;
  /// Where the task was spawned: UTF-8 that is part of the program, its length, and the line.
  const char *file;
  uint32_t length, line;
};

/// A loop's table of tasks. A signal handler on the loop's thread reads it, unless it is being changed.
struct cuv_task_places {
  const struct cuv_task_slot *slots;
  uint64_t bits;
  int is_changing;
};

// The fences keep the compiler from moving the changes. The reader is a handler on the same thread.
static inline void cuv_task_places_begin_change(struct cuv_task_places *places) {
  __atomic_store_n(&places->is_changing, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void cuv_task_places_end_change(struct cuv_task_places *places, const void *slots, uint64_t bits) {
  places->slots = (const struct cuv_task_slot *)slots;
  places->bits = bits;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&places->is_changing, 0, __ATOMIC_RELAXED);
}

/// Finds where a task was spawned. A signal handler calls this, so it only reads memory.
static inline bool cuv_find_task_place(
    const void *context, const void *task, const char **file, uint32_t *length, uint32_t *line) {
  const struct cuv_task_places *places = (const struct cuv_task_places *)context;
  if (!places->slots || __atomic_load_n(&places->is_changing, __ATOMIC_RELAXED)) return false;
  uint64_t mask = ((uint64_t)1 << places->bits) - 1;
  uint64_t index = ((uint64_t)(uintptr_t)task * 0x9E3779B97F4A7C15) >> (64 - places->bits);
  for (; places->slots[index].key; index = (index + 1) & mask) {
    const struct cuv_task_slot *slot = &places->slots[index];
    if (slot->key != task) continue;
    *file = slot->file;
    *length = slot->length;
    *line = slot->line;
    return true;
  }
  return false;
}
