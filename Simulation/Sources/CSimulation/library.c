// Each process has its own copy of libuv's variables: a thread pool and signal handlers of its own. When another one runs,
// its copy is put in their place.

#include "kernel.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void library_enter(struct process *process) {
  if (kernel.inside == process) return;
  change_environment(kernel.inside, process);
  memcpy(kernel.inside ? kernel.inside->library : outside, variables, size);
  memcpy(variables, process->library, size);
  kernel.inside = process;
}

void library_leave(void) {
  if (!kernel.inside) return;
  change_environment(kernel.inside, NULL);
  memcpy(kernel.inside->library, variables, size);
  memcpy(variables, outside, size);
  kernel.inside = NULL;
}

bool library_calls(const void *caller) { return (uintptr_t)caller >= code_start && (uintptr_t)caller < code_end; }

bool library_has(const void *address) {
  return (const char *)address >= variables && (const char *)address < variables + size;
}
