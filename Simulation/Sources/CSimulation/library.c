// Each process has its own copy of libuv's variables: a thread pool and signal handlers of its own. When another one runs,
// its copy is put in their place. The same goes for the pointers to what `UV` keeps for a process: its listening sockets.

#include "kernel.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// UV's own; a program without UV hasn't any.
extern void *cuv_process_variables[3] __attribute__((weak));

static char *variables;
static size_t size;
static uintptr_t code_start, code_end;
/// As they were when the program began, and as they are outside of the world.
static char *pristine, *outside;

static int look(struct dl_phdr_info *info, size_t length, void *context) {
  (void)length, (void)context;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "libuv.so")) return 0;
  uintptr_t start = 0, end = 0, fixed = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t address = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
      code_start = address;
      code_end = address + part->p_memsz;
    }
    if (part->p_type == PT_LOAD && (part->p_flags & PF_W)) {
      start = address;
      end = address + part->p_memsz;
    } else if (part->p_type == PT_GNU_RELRO) {
      // What is constant once the program has been loaded.
      fixed = (address + part->p_memsz + 4095) & ~(uintptr_t)4095;
    }
  }
  if (fixed > start) start = fixed;
  if (start >= end) return 1;
  variables = (char *)start;
  size = end - start;
  return 1;
}

void library_find(void) {
  dl_iterate_phdr(look, NULL);
  pristine = malloc(size + 1);
  outside = malloc(size + 1);
  memcpy(pristine, variables, size);
}

bool library_is_found(void) { return size > 0; }

void library_prepare(struct process *process) {
  process->library = malloc(size + 1);
  memcpy(process->library, pristine, size);
}

/// Few processes have an environment of their own.
static void change_environment(struct process *from, struct process *to) {
  static char **common;
  bool was_own = from && from->environment, is_own = to && to->environment;
  if (was_own) from->environment = environ;
  else if (is_own) common = environ;
  if (is_own) environ = to->environment;
  else if (was_own) environ = common;
}

/// Puts another process's variables in place; those from outside of the world if it is NULL.
static void change_variables(struct process *process) {
  struct process *from = kernel.inside;
  static void *own[3];
  change_environment(from, process);
  memcpy(from ? from->library : outside, variables, size);
  memcpy(variables, process ? process->library : outside, size);
  if (cuv_process_variables) {
    memcpy(from ? from->own : own, cuv_process_variables, sizeof own);
    memcpy(cuv_process_variables, process ? process->own : own, sizeof own);
  }
  kernel.inside = process;
}

void library_enter(struct process *process) {
  if (kernel.inside != process) change_variables(process);
}

void library_leave(void) {
  if (kernel.inside) change_variables(NULL);
}

bool library_calls(const void *caller) { return (uintptr_t)caller >= code_start && (uintptr_t)caller < code_end; }

bool library_has(const void *address) {
  return (const char *)address >= variables && (const char *)address < variables + size;
}
