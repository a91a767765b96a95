// How a process starts another one. A child begins on its parent's stack, as with vfork, and the stack is put back once it
// has begun: libuv calls little between `fork` and `execvp`, and nothing that waits.

#include "disk.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// What a parent's thread was when it forked. switch.c knows the first four.
struct fork {
  /// The stack, and a copy of it down from `top`.
  void *stack;
  char *copy;
  size_t size;
  char *top;
  struct process *parent;
  sigset_t blocked;
  char **environment;
};

/// Keeps the calling thread's stack and registers. Returns 0, and 1 when `sim_rejoin` has put them back.
int sim_depart(struct fork *fork) __attribute__((returns_twice));
void sim_rejoin(struct fork *fork) __attribute__((noreturn));

static struct process *child_make(struct process *parent) {
  struct process *child = process_make(parent->host, parent);
  descriptors_copy(child, parent);
  memcpy(child->actions, parent->actions, sizeof child->actions);
  child->directory = parent->directory;
  if (child->directory) node_hold(child->directory);
  enum { ROOM = 4096 };
  struct fork *fork = calloc(1, sizeof *fork);
  fork->top = sim_self->slot->start.stack;
  fork->copy = malloc((size_t)(fork->top - (char *)__builtin_frame_address(0)) + ROOM);
  fork->parent = parent;
  fork->blocked = sim_self->blocked;
  fork->environment = environ;
  child->fork = fork;
  return child;
}

/// A function of its own, so that the compiler keeps the other one's caller apart.
__attribute__((noinline)) static pid_t fork_simulated(const void *caller) {
  if (!library_calls(caller) || !IS_PROCESS) {
    fail_missing("fork", caller);
    errno = ENOSYS;
    return -1;
  }
  int code = planned(CALL_fork);
  if (code < 0) return (pid_t)traced(CALL_fork, -1, code, 0);
  struct process *child = child_make(sim_self->process);
  if (sim_depart(child->fork) == 0) {
    thread_become(child);
    return 0;
  }
  free(child->fork->copy);
  free(child->fork);
  child->fork = NULL;
  return (pid_t)traced(CALL_fork, -1, child->id, 0);
}

pid_t fork(void) { return IS_SIMULATED ? fork_simulated(__builtin_return_address(0)) : REAL(fork)(); }

/// The parent's thread goes on where it has forked.
static void rejoin(struct process *child) __attribute__((noreturn));
static void rejoin(struct process *child) {
  sim_self->blocked = child->fork->blocked;
  environ = child->fork->environment;
  sim_rejoin(child->fork);
}

// MARK: Programs

void sim_program_add(const char *name, sim_program body, void *context) {
  struct program *program = calloc(1, sizeof *program);
  *program = (struct program){kernel.programs, strdup(name), body, context};
  kernel.programs = program;
}

void programs_free(void) {
  while (kernel.programs) {
    struct program *program = kernel.programs;
    kernel.programs = program->next;
    free(program->name);
    free(program);
  }
}

/// The name of what is in one of the folders for programs.
static const char *name_in_path(const char *file) {
  static const char *const folders[] = {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    size_t length = strlen(folders[i]);
    if (strncmp(file, folders[i], length) == 0) return file + length;
  }
  return file;
}

static int program_find(const char *file, const struct program **found) {
  for (*found = kernel.programs; *found; *found = (*found)->next) {
    if (strcmp((*found)->name, file) == 0 || strcmp((*found)->name, name_in_path(file)) == 0) return 0;
  }
  if (!strchr(file, '/')) return -ENOENT;
  struct place place;
  int code = disk_find(sim_self->host, file, true, &place);
  if (code < 0) return code;
  // A file of the disk is no program here.
  return place.node ? -EACCES : -ENOENT;
}

/// A copy in one piece, to be freed as one.
static char **strings_copy(char *const *strings) {
  size_t count = 0, size = 0;
  for (; strings[count]; count++) size += strlen(strings[count]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + size), *place = (char *)&copy[count + 1];
  for (size_t i = 0; i < count; i++) {
    copy[i] = place;
    place = stpcpy(place, strings[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

static void *run_program(void *argument) {
  struct process *process = argument;
  int count = 0;
  while (process->arguments[count]) count++;
  trace_call(CALL_start, process->id, count, 0);
  process->status = (process->program->body(process->program->context, count, process->arguments) & 0xff) << 8;
  return NULL;
}

int execvp(const char *file, char *const arguments[]) {
  if (!IS_SIMULATED) return REAL(execvp)(file, arguments);
  struct process *process = sim_self->process;
  if (!process->fork) {
    fail_missing("execvp in a process that goes on", __builtin_return_address(0));
    errno = ENOSYS;
    return -1;
  }
  int code = program_find(file, &process->program);
  if (traced(CALL_exec, process->id, code, hash_bytes(file, strlen(file))) < 0) return -1;
  descriptors_exec(process);
  for (int signal = 1; signal < MOST_SIGNALS; signal++) {
    if (process->actions[signal].sa_handler != SIG_IGN) process->actions[signal] = (struct sigaction){0};
  }
  process->arguments = strings_copy(arguments);
  process->variables = strings_copy(environ);
  process->environment = process->variables;
  process->main = thread_start(process, run_program, process);
  process->main->is_detached = true;
  process->main->blocked = sim_self->blocked;
  thread_become(process->fork->parent);
  rejoin(process);
}

// MARK: Ends

static void end_here(int status) __attribute__((noreturn));
static void end_here(int status) {
  struct process *process = sim_self->process;
  status = (status & 0xff) << 8;
  if (process->fork) {
    thread_become(process->fork->parent);
    process_end(process, status);
    rejoin(process);
  }
  process_end(process, status);
  thread_abandon();
}

// A program that has libc in itself is warned. To be linked for that, it takes libc's `exit`, which comes with others.
void exit(int status) __attribute__((weak));

#define ENDING(name, calls_handlers)                                                                         \
  void name(int status) {                                                                                    \
    if (IS_PROCESS) end_here(status);                                                                        \
    if (IS_SIMULATED && kernel.program_ends && !calls_handlers) kernel.program_ends(status);                 \
    REAL(name)(status);                                                                                      \
    __builtin_unreachable();                                                                                 \
  }
ENDING(exit, true)
ENDING(_exit, false)
ENDING(_Exit, false)
