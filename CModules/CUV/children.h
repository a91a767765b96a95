// Child processes that take the same time to start however much memory this process has. They are in children.c.
#pragma once

#include <uv.h>

#include <stdbool.h>
#include <stdint.h>

struct cuv_child;

/// Called once when a child has ended: with its exit code or its signal, or with a libuv error code if
/// something else in this process has waited for it. Before that it is called with UV_EAGAIN if the child has
/// ended and a tracer has its end; see `cuv_child_look_again`.
typedef void (*cuv_child_cb)(struct cuv_child *child, int error, int64_t code, int signal);

/// A child process: the memory of one libuv handle, and what is known of the child.
struct cuv_child {
  /// A child of libuv's, or the poll of a child of our own. Comes first.
  union {
    uv_process_t process;
    uv_poll_t poll;
  } handle;
  uv_pid_t id;
  /// The pidfd that is polled; -1 for a child of libuv's. It must be closed with the handle.
  int descriptor;
  /// Whether libuv knows the handle, which must be closed then, even if there is no child.
  bool is_handle;
  cuv_child_cb done;
};

/// The terminal of a child.
struct cuv_terminal {
  uint16_t columns, rows;
  /// The handle of this process's end, which isn't open yet.
  uv_pipe_t *end;
};

/// The `data.fd` of a descriptor to inherit that is to be the child's terminal.
enum { CUV_TERMINAL = -2 };

/// Starts a child, as `uv_spawn` does: with the same options, errors and state of the child. But a pipe that the
/// child only reads or only writes is a pipe, and no socket. `options->stdio` is changed, and `options->exit_cb`
/// isn't used. With a terminal, which only children that borrow memory can have (UV_ENOTSUP otherwise), the child
/// leads a session, and the terminal is the session's. Returns 0 or a libuv error code.
int cuv_spawn(
    uv_loop_t *loop, struct cuv_child *child, uv_process_options_t *options, const struct cuv_terminal *terminal,
    cuv_child_cb done);

/// Looks whether a tracer has let go of the child's end.
void cuv_child_look_again(struct cuv_child *child);

/// Whether a child could have a directory as its working directory.
bool cuv_can_enter(const char *path);

/// Sends a signal to a child. Returns 0 or a libuv error code.
int cuv_child_kill(struct cuv_child *child, int signal);

/// Waits for the end of a child that was killed and that no loop waits for.
void cuv_reap(uv_pid_t id);
