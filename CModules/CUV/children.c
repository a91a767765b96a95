// Child processes. `uv_spawn` forks: the system copies the tables of all memory of this process, which takes
// 16 ms for 800 MiB. On Linux a child of this file borrows the memory until its program begins, while the
// calling thread waits. The child's own code is in child_start.c.
#define _GNU_SOURCE
#include "child_start.h"

#include "cuv.h"

#include <errno.h>
#include <sys/wait.h>

void cuv_reap(uv_pid_t id) {
  while (waitpid(id, NULL, 0) < 0 && errno == EINTR) {}
}

bool cuv_can_enter(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, X_OK) == 0;
}

static void libuv_child_ended(uv_process_t *process, int64_t code, int signal) {
  struct cuv_child *child = (struct cuv_child *)process;
  child->done(child, 0, code, signal);
}

// MARK: The child's descriptors

/// Makes a pipe whose other end the child reads or writes, or a pair of sockets if it does both. The first
/// descriptor is this process's. Returns 0 or a libuv error code.
static int open_pair(int flags, int pair[2]) {
  bool reads = flags & UV_READABLE_PIPE, writes = flags & UV_WRITABLE_PIPE;
  if (reads && writes) return uv_socketpair(SOCK_STREAM, 0, pair, UV_NONBLOCK_PIPE, 0);
  uv_file ends[2];
  int code = uv_pipe(ends, reads ? 0 : UV_NONBLOCK_PIPE, reads ? UV_NONBLOCK_PIPE : 0);
  if (code < 0) return code;
  pair[0] = ends[reads ? 1 : 0];
  pair[1] = ends[reads ? 0 : 1];
  return 0;
}

/// Opens the pipes of a child, whose ends it inherits: libuv itself would make sockets of all of them, which
/// can't be opened by names such as `/dev/stdin`. Replaces each in `stdio`, and notes the child's ends. Returns
/// 0 or a libuv error code.
static int open_pipes(uv_stdio_container_t *stdio, int count, int *ends) {
  for (int i = 0; i < count; i++) {
    if (!(stdio[i].flags & UV_CREATE_PIPE)) continue;
    int pair[2];
    int code = open_pair(stdio[i].flags, pair);
    if (code < 0) return code;
    ends[i] = pair[1];
    code = uv_pipe_open((uv_pipe_t *)stdio[i].data.stream, pair[0]);
    if (code < 0) {
      close(pair[0]);
      return code;
    }
    stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = pair[1]};
  }
  return 0;
}

static int spawn_by_libuv(uv_loop_t *loop, struct cuv_child *child, const uv_process_options_t *options) {
  uv_process_options_t own = *options;
  own.exit_cb = libuv_child_ended;
  child->is_handle = true;
  int code = uv_spawn(loop, &child->handle.process, &own);
  child->id = code < 0 ? 0 : cuv_process_id(&child->handle.process);
  return code;
}

#ifdef __linux__
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

enum { PIDFD_SEND_SIGNAL = 424, PIDFD_OPEN = 434, BY_PIDFD = 3 };

/// Whether the system has pidfds that can be polled. The answer isn't kept: it may be another one on a thread
/// with a system of its own, as in a simulation.
static bool has_pidfds(void) {
  int descriptor = (int)syscall(PIDFD_OPEN, getpid(), 0);
  return descriptor >= 0 && close(descriptor) == 0;
}

enum lending { UNKNOWN, LENDS, COPIES };

/// Finds out whether a child has the memory of this process. Emulators of other processors may copy it
/// instead, so that an error of the child wouldn't be seen. If no child can start, another one may later.
static enum lending try_lending(void) {
  struct cuv_start start = {.error = -1};
  int descriptor = -1;
  if (cuv_start(&start, &descriptor) < 0) return UNKNOWN;
  if (descriptor < 0) return COPIES;
  // Linux 5.3 doesn't know how to wait by a pidfd.
  siginfo_t end;
  bool waits = waitid((idtype_t)BY_PIDFD, (id_t)descriptor, &end, WEXITED | WNOHANG) == 0 || errno != EINVAL;
  close(descriptor);
  return start.error == 0 && waits ? LENDS : COPIES;
}

/// Whether the system forgets how a child has ended, because this process ignores its signal. libuv's handler
/// of the signal changes that.
static bool ends_are_forgotten(void) {
  struct sigaction action;
  return sigaction(SIGCHLD, NULL, &action) == 0 &&
         (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT));
}

static bool lends_memory(void) {
  static enum lending known;
  if (!has_pidfds() || ends_are_forgotten()) return false;
  enum lending lending = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (lending == UNKNOWN) {
    lending = try_lending();
    __atomic_store_n(&known, lending, __ATOMIC_RELAXED);
  }
  return lending == LENDS;
}

static void child_may_have_ended(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  struct cuv_child *child = (struct cuv_child *)poll;
  siginfo_t end = {0};
  int code;
  // By its number it could be another child, if something else has waited for this one.
  do code = waitid((idtype_t)BY_PIDFD, (id_t)child->descriptor, &end, WEXITED | WNOHANG);
  while (code < 0 && errno == EINTR);
  uv_poll_stop(poll);
  // A tracer has it.
  if (code == 0 && end.si_pid == 0) return child->done(child, UV_EAGAIN, 0, 0);
  bool exited = end.si_code == CLD_EXITED;
  if (code < 0) child->done(child, uv_translate_sys_error(ESRCH), 0, 0);
  else child->done(child, 0, exited ? end.si_status : 0, exited ? 0 : end.si_status);
}


/// Polls the child. A child that can't be polled is ended, so that nothing is left.
static int watch(uv_loop_t *loop, struct cuv_child *child) {
  int code = uv_poll_init(loop, &child->handle.poll, child->descriptor);
  if (code < 0) {
    kill(child->id, SIGKILL);
    cuv_reap(child->id);
    close(child->descriptor);
    return code;
  }
  child->is_handle = true;
  return uv_poll_start(&child->handle.poll, UV_READABLE, child_may_have_ended);
}

/// Starts a child that borrows this process's memory.
static int spawn_lending(
    uv_loop_t *loop, struct cuv_child *child, const uv_process_options_t *options, int terminal) {
  int count = options->stdio_count > 3 ? options->stdio_count : 3;
  struct cuv_start start = {.options = options, .count = count, .terminal = terminal};
  int code = cuv_start_prepare(&start);
  for (int i = 0; code == 0 && i < start.count; i++) {
    bool is_inherited = i < options->stdio_count && options->stdio[i].flags & UV_INHERIT_FD;
    start.descriptors[i] = is_inherited ? options->stdio[i].data.fd : -1;
    if (is_inherited && start.descriptors[i] < 0) code = UV_EINVAL;
  }
  if (code == 0) code = cuv_start(&start, &child->descriptor);
  cuv_start_free(&start);
  if (code < 0) return code;
  child->id = code;
  return watch(loop, child);
}

void cuv_child_look_again(struct cuv_child *child) {
  // An error would be one of the descriptor, which is open and known to the loop.
  uv_poll_start(&child->handle.poll, UV_READABLE, child_may_have_ended);
}

/// A child that is another user's must not have this process's memory, not even for a moment: that user may
/// stop it, and the system makes no dumps of the memory from then on.
static bool lends_memory_for(const uv_process_options_t *options) {
  return !(options->flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID)) && lends_memory();
}

static int spawn(uv_loop_t *loop, struct cuv_child *child, const uv_process_options_t *options, int terminal) {
  return terminal >= 0 || lends_memory_for(options) ? spawn_lending(loop, child, options, terminal)
                                                    : spawn_by_libuv(loop, child, options);
}

/// Opens a terminal: this process's end, into its handle, and the child's. libuv's children have no step in which the
/// session could get it. Returns the child's end, or a libuv error code.
static int open_terminal(const struct cuv_terminal *terminal, const uv_process_options_t *options) {
  if (!lends_memory_for(options)) return UV_ENOTSUP;
  int own = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (own < 0) return uv_translate_sys_error(errno);
  struct winsize size = {.ws_row = terminal->rows, .ws_col = terminal->columns};
  int end = -1;
  // By its name it could be another one, in another mount of /dev/pts.
  if (unlockpt(own) == 0 && ioctl(own, TIOCSWINSZ, &size) == 0)
    end = ioctl(own, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  int code = end < 0 ? uv_translate_sys_error(errno) : uv_pipe_open(terminal->end, own);
  if (code == 0) return end;
  close(own);
  if (end >= 0) close(end);
  return code;
}

int cuv_child_kill(struct cuv_child *child, int signal) {
  if (child->descriptor < 0) return uv_process_kill(&child->handle.process, signal);
  long code = syscall(PIDFD_SEND_SIGNAL, child->descriptor, signal, NULL, 0);
  return code < 0 ? uv_translate_sys_error(errno) : 0;
}
#else
void cuv_child_look_again(struct cuv_child *child) { (void)child; }

static int spawn(uv_loop_t *loop, struct cuv_child *child, const uv_process_options_t *options, int terminal) {
  (void)terminal;
  return spawn_by_libuv(loop, child, options);
}

static int open_terminal(const struct cuv_terminal *terminal, const uv_process_options_t *options) {
  (void)terminal, (void)options;
  return UV_ENOTSUP;
}

int cuv_child_kill(struct cuv_child *child, int signal) {
  return uv_process_kill(&child->handle.process, signal);
}
#endif

/// Has the child inherit its end of the terminal, where it is to have it.
static void place_terminal(uv_stdio_container_t *stdio, int count, int end) {
  for (int i = 0; i < count; i++)
    if (stdio[i].flags & UV_INHERIT_FD && stdio[i].data.fd == CUV_TERMINAL) stdio[i].data.fd = end;
}

int cuv_spawn(
    uv_loop_t *loop, struct cuv_child *child, uv_process_options_t *options, const struct cuv_terminal *terminal,
    cuv_child_cb done) {
  child->descriptor = -1;
  child->is_handle = false;
  child->done = done;
  int count = options->stdio_count;
  // The last is the terminal's.
  int *ends = malloc((size_t)(count + 1) * sizeof *ends);
  if (!ends) return UV_ENOMEM;
  for (int i = 0; i <= count; i++) ends[i] = -1;
  int code = terminal ? open_terminal(terminal, options) : 0;
  if (terminal && code >= 0) {
    ends[count] = code;
    place_terminal(options->stdio, count, code);
  }
  if (code >= 0) code = open_pipes(options->stdio, count, ends);
  if (code == 0) code = spawn(loop, child, options, ends[count]);
  for (int i = 0; i <= count; i++)
    if (ends[i] >= 0) close(ends[i]);
  free(ends);
  return code;
}
