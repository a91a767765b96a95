// Decides which call fails.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fault.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int armed;
static int fault_error, fault_layers, fault_mask;
static long first, last;
static char only_name[32];
static _Atomic long calls, fired;

/// The memory of the program, and that of libuv: calls from elsewhere (Foundation, the test library) are not
/// ours.
static struct { uintptr_t start, end; } program, library;

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_name[0] == 0 && program.start == 0) {
      program.start = start;
      program.end = end;
    } else if (strstr(info->dlpi_name, "libuv.so")) {
      library.start = start;
      library.end = end;
    }
  }
  return 0;
}

static int mask_of(int error) {
  switch (error) {
    case ENOMEM: return FAULT_ENOMEM;
    case EMFILE: return FAULT_EMFILE;
    case EAGAIN: return FAULT_EAGAIN;
    case EINTR: return FAULT_EINTR;
    case TEST_FAULT_SHORT: return FAULT_SHORT;
    default: return FAULT_EIO;
  }
}

// MARK: What can fail

static struct { const char *name; int layer, mask; _Atomic long calls; } functions[256];
static int function_count;

void fault_register(const char *name, int layer, int mask) {
  if (function_count == sizeof functions / sizeof functions[0]) abort();
  functions[function_count].name = name;
  functions[function_count].layer = layer;
  functions[function_count++].mask = mask;
}

const char *test_faults_function(int index, int error, int layers) {
  for (int i = 0; i < function_count; i++) {
    if ((functions[i].layer & layers) && (functions[i].mask & mask_of(error)) && index-- == 0)
      return functions[i].name;
  }
  return NULL;
}

static _Atomic long *calls_of(const char *name) {
  for (int i = 0; i < function_count; i++) {
    if (strcmp(functions[i].name, name) == 0) return &functions[i].calls;
  }
  abort();
}

long test_faults_calls(const char *name) { return atomic_load(calls_of(name)); }

// MARK: Which one does

void test_faults_arm(int error, int layers, long nth, long count, const char *only) {
  fault_error = error;
  fault_layers = layers;
  fault_mask = mask_of(error);
  first = nth;
  last = nth + count - 1;
  // The caller's string goes with the call.
  strncpy(only_name, only ? only : "", sizeof only_name - 1);
  calls = fired = 0;
  for (int i = 0; i < function_count; i++) functions[i].calls = 0;
  atomic_store(&armed, 1);
}

long test_faults_disarm(void) {
  atomic_store(&armed, 0);
  return atomic_load(&fired);
}

static int is_ours(const void *caller, int layer) {
  uintptr_t at = (uintptr_t)caller;
  if (at >= program.start && at < program.end) return 1;
  return layer != TEST_FAULT_LIBUV && at >= library.start && at < library.end;
}

int fault_is_armed(void) { return atomic_load_explicit(&armed, memory_order_relaxed); }

int fault_due(const char *name, int layer, int mask, const void *caller) {
  if (!fault_is_armed() || !(layer & fault_layers) || !(mask & fault_mask)) return 0;
  if (caller && !is_ours(caller, layer)) return 0;
  atomic_fetch_add(calls_of(name), 1);
  if (only_name[0] && strcmp(only_name, name) != 0) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (number < first || number > last) return 0;
  atomic_fetch_add(&fired, 1);
  return fault_error;
}

static void disarm(void) { atomic_store(&armed, 0); }

// MARK: libuv's allocator

extern int uv_replace_allocator(
    void *(*)(size_t), void *(*)(void *, size_t), void *(*)(size_t, size_t), void (*)(void *));

static int has_no_memory(const char *name) {
  if (!fault_due(name, TEST_FAULT_ALLOCATOR, FAULT_ENOMEM, NULL)) return 0;
  errno = ENOMEM;
  return 1;
}

static void *fault_malloc(size_t size) { return has_no_memory("malloc") ? NULL : malloc(size); }

static void *fault_calloc(size_t count, size_t size) {
  return has_no_memory("calloc") ? NULL : calloc(count, size);
}

// Before anything of libuv's has run. Not realloc: libuv itself ends the process where its table of
// descriptors cannot grow.
FAULT_REGISTER(malloc, TEST_FAULT_ALLOCATOR, FAULT_ENOMEM)
FAULT_REGISTER(calloc, TEST_FAULT_ALLOCATOR, FAULT_ENOMEM)
__attribute__((constructor)) static void install(void) {
  dl_iterate_phdr(note_object, NULL);
  // What fails in a child is not counted here, and where libuv's child cannot notify its parent of it, it
  // aborts.
  pthread_atfork(NULL, NULL, disarm);
  uv_replace_allocator(fault_malloc, realloc, fault_calloc, free);
}

int test_faults_reach(int layers) {
  int reached = TEST_FAULT_ALLOCATOR | TEST_FAULT_LIBUV | (fault_reaches_system() ? TEST_FAULT_SYSTEM : 0);
  return (layers & ~reached) == 0;
}
