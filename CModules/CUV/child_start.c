// A child runs in the memory of its parent until its program begins: between `clone` and `execve` it makes
// system calls alone. The functions of the C library would call handlers or note something in memory that is the
// parent's. It does the same as libuv's child, in the same order.
#define _GNU_SOURCE
#include "child_start.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// The `clone` of ThreadSanitizer expects a child that has memory of its own.
#define clone __clone
int __clone(int (*begin)(void *), void *stack, int flags, void *context, ...);
#endif
#endif
enum { STACK_SIZE = 32768 };

/// Marks the functions that run in the child. A sanitizer that notes calls wouldn't see their ends.
#define CHILD __attribute__((no_sanitize("address", "undefined"), disable_sanitizer_instrumentation))

/// Blocks all signals, those of the C library too, or restores a set.
CHILD static void block_signals(const uint64_t *set, uint64_t *before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, set, before, sizeof *set);
}

static const char *variable(char *const *environment, const char *name) {
  size_t length = strlen(name);
  for (; environment && *environment; environment++)
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  return NULL;
}

int cuv_start_prepare(struct cuv_start *start) {
  const uv_process_options_t *options = start->options;
  extern char **environ;
  const char *search = variable(options->env ? options->env : environ, "PATH");
  // A copy, since another thread may change the variable until the child has read it.
  start->search = strdup(search ? search : "/bin:/usr/bin");
  if (!start->search) return UV_ENOMEM;
  size_t count = 0;
  while (options->args[count]) count++;
  start->descriptors = malloc((size_t)start->count * sizeof *start->descriptors);
  start->path = malloc(strlen(start->search) + strlen(options->file) + 2);
  start->shell = malloc((count + 2) * sizeof *start->shell);
  if (!start->descriptors || !start->path || !start->shell) return UV_ENOMEM;
  start->shell[0] = "/bin/sh";
  for (size_t i = 1; i <= count; i++) start->shell[i + 1] = options->args[i];
  return 0;
}

void cuv_start_free(struct cuv_start *start) {
  free(start->descriptors);
  free(start->search);
  free(start->path);
  free(start->shell);
}

// MARK: In the child. An error is what `errno` says.

/// Programs expect signals to do what they usually do. libuv leaves those from 32 on to `execve`, which keeps
/// ignored ones ignored; but no handler of the parent's may run before.
CHILD static void reset_signals(void) {
  // The system's own structure, which begins with the handler and has at most as many words.
  static const uintptr_t usual[16];
  uintptr_t action[16];
  for (int signal = 1; signal <= 64; signal++) {
    action[0] = 0;
    if (signal >= 32) syscall(SYS_rt_sigaction, signal, NULL, action, sizeof(uint64_t));
    if (action[0] != (uintptr_t)SIG_IGN) syscall(SYS_rt_sigaction, signal, usual, NULL, sizeof(uint64_t));
  }
}

CHILD static int open_null(int place) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", place == 0 ? O_RDONLY : O_RDWR);
  if (fd < 0 || fd == place) return fd < 0 ? -1 : 0;
  if (syscall(SYS_dup3, fd, place, 0) < 0) return -1;
  return (int)syscall(SYS_close, fd);
}

CHILD static int place(int fd, int place) {
  if (fd != place) {
    if (syscall(SYS_dup3, fd, place, 0) < 0) return -1;
  } else {
    long flags = syscall(SYS_fcntl, fd, F_GETFD);
    if (flags < 0 || syscall(SYS_fcntl, fd, F_SETFD, flags & ~FD_CLOEXEC) < 0) return -1;
  }
  if (place > 2) return 0;
  long flags = syscall(SYS_fcntl, place, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK)) syscall(SYS_fcntl, place, F_SETFL, flags & ~O_NONBLOCK);
  return 0;
}

CHILD static int place_descriptors(struct cuv_start *start) {
  // Those that another one would be put over move out of the way first.
  for (int i = 0; i < start->count; i++) {
    int fd = start->descriptors[i];
    if (fd < 0 || fd >= i) continue;
    start->descriptors[i] = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, start->count);
    if (start->descriptors[i] < 0) return -1;
  }
  for (int i = 0; i < start->count; i++) {
    int fd = start->descriptors[i];
    if (fd < 0 && i > 2) continue;
    if ((fd < 0 ? open_null(i) : place(fd, i)) < 0) return -1;
  }
  return 0;
}

/// Leads a session, if that was asked for. Its terminal isn't yet under a descriptor that another one is put over.
CHILD static int begin_session(struct cuv_start *start) {
  if (start->options->flags & UV_PROCESS_DETACHED || start->terminal >= 0) syscall(SYS_setsid);
  return start->terminal < 0 ? 0 : (int)syscall(SYS_ioctl, start->terminal, TIOCSCTTY, 0);
}

/// Runs the program at a path. Returns if it can't.
CHILD static void run(struct cuv_start *start, char *path) {
  extern char **environ;
  char **environment = start->options->env ? start->options->env : environ;
  syscall(SYS_execve, path, start->options->args, environment);
  if (errno != ENOEXEC) return;
  start->shell[1] = path;
  syscall(SYS_execve, start->shell[0], start->shell, environment);
}

/// Runs the program that has a name, as `execvp` does, in the folders of the child's own `PATH`.
CHILD static void search(struct cuv_start *start) {
  const char *name = start->options->file;
  size_t length = 0;
  bool has_slash = false;
  for (; name[length]; length++) has_slash = has_slash || name[length] == '/';
  if (has_slash) return run(start, (char *)name);
  errno = length == 0 ? ENOENT : ENAMETOOLONG;
  if (length == 0 || length > NAME_MAX) return;
  bool is_forbidden = false;
  for (const char *next = start->search;; next++) {
    char *end = start->path;
    for (; *next && *next != ':'; next++) *end++ = *next;
    if (end > start->path) *end++ = '/';
    for (size_t i = 0; i <= length; i++) end[i] = name[i];
    run(start, start->path);
    if (errno == EACCES) is_forbidden = true;
    else if (errno != ENOENT && errno != ESTALE && errno != ENOTDIR && errno != ENODEV && errno != ETIMEDOUT) return;
    if (!*next) break;
  }
  if (is_forbidden) errno = EACCES;
}

CHILD static int begin(void *context) {
  struct cuv_start *start = context;
  const uv_process_options_t *options = start->options;
  start->error = 0;
  if (options) {
    reset_signals();
    if (begin_session(start) == 0 && place_descriptors(start) == 0 &&
        (!options->cwd || syscall(SYS_chdir, options->cwd) == 0)) {
      uint64_t none = 0;
      block_signals(&none, NULL);
      search(start);
    }
    start->error = errno;
  }
  syscall(SYS_exit_group, 127);
  return 0;
}

// MARK: In the parent

int cuv_start(struct cuv_start *start, int *descriptor) {
  char *stack = malloc(STACK_SIZE);
  if (!stack) return UV_ENOMEM;
  // A handler of the parent's must not run in the child.
  uint64_t all = UINT64_MAX, before;
  block_signals(&all, &before);
  uintptr_t top = (uintptr_t)(stack + STACK_SIZE) & ~(uintptr_t)63;
  int id = clone(begin, (void *)top, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, start, descriptor);
  int error = errno;
  block_signals(&before, NULL);
  free(stack);
  if (id < 0) return uv_translate_sys_error(error);
  if (start->options && !start->error) return id;
  cuv_reap(id);
  if (!start->options) return 0;
  close(*descriptor);
  *descriptor = -1;
  return uv_translate_sys_error(start->error);
}
#endif
