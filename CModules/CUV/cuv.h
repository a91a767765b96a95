// The parts of libuv that Swift can't import, or imports awkwardly: variadic functions, and casts between
// handle types. Also the few system facilities that the event loop needs beside libuv.
//
// Inline is what each read, write, task or turn calls, where a call would cost more than the work: casts,
// fields, `cuv_find` of a short pattern, the marks of a turn. Everything else makes a system call or is rare,
// and stands in the files beside this.
#pragma once

#include <uv.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "children.h"
#include "folders.h"
#include "reaches.h"
#include "sockets.h"

/// The second number of the oldest libuv that is supported; the first is 1. Stability.md says it to users, and no other file does.
#define CUV_OLDEST_MINOR 44
#define CUV_TEXT_OF(number) #number
#define CUV_TEXT(macro) CUV_TEXT_OF(macro)

_Static_assert(
    UV_VERSION_HEX >= (1 << 16 | CUV_OLDEST_MINOR << 8),
    "swift-uv needs libuv 1." CUV_TEXT(CUV_OLDEST_MINOR) " or later (Debian and Ubuntu: libuv1-dev; macOS: brew install libuv)");

// MARK: Casts and buffers

static inline uv_handle_t *cuv_handle(void *handle) { return (uv_handle_t *)handle; }
static inline uv_stream_t *cuv_stream(void *handle) { return (uv_stream_t *)handle; }
static inline uv_req_t *cuv_request(void *request) { return (uv_req_t *)request; }

static inline void cuv_buf_set(uv_buf_t *buf, const void *bytes, size_t count) {
  buf->base = (char *)bytes;
  buf->len = count;
}

static inline int cuv_try_write(uv_stream_t *stream, const void *bytes, size_t count) {
  uv_buf_t buf;
  buf.base = (char *)bytes;
  buf.len = count;
  return uv_try_write(stream, &buf, 1);
}

/// `SOCK_STREAM` is an enumeration on some systems and a number on others.
static inline int cuv_sock_stream(void) { return SOCK_STREAM; }

/// The same as `uv_handle_type_name`; null for a type that has no name.
const char *cuv_handle_type_name(uv_handle_type type);

// MARK: Bytes

/// The first occurrence of a pattern of more than four bytes; null if there is none.
const void *cuv_find_long(const void *bytes, size_t count, const void *pattern, size_t length);

/// The first occurrence of a pattern of one byte or more; null if there is none. For a short pattern `memmem`
/// takes longer to prepare than `memchr` to search.
static inline const void *cuv_find(const void *bytes, size_t count, const void *pattern, size_t length) {
  if (length > 4) return cuv_find_long(bytes, count, pattern, length);
  const char *next = bytes, *end = next + count;
  while ((size_t)(end - next) >= length) {
    next = memchr(next, *(const char *)pattern, (size_t)(end - next) - length + 1);
    if (!next || memcmp(next, pattern, length) == 0) return next;
    next++;
  }
  return NULL;
}

// MARK: Turns and tasks, for a watcher on another thread

/// The turn that a loop is in, in memory of its watcher.
struct cuv_turn {
  /// When it began, in milliseconds of libuv's clock, above the last bits of the turn's number; 0 while the
  /// loop waits or doesn't run.
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
bool cuv_find_task_place(
    const void *context, const void *task, const char **file, uint32_t *length, uint32_t *line);

// MARK: Threads (system.c)

/// Whether the calling thread is the process's first.
int cuv_is_main_thread(void);

static inline uintptr_t cuv_thread_id(void) { return (uintptr_t)pthread_self(); }

/// What `CurrentLoop` keeps for the calling thread; null if there is nothing. To ask a key of pthreads takes four times as
/// long, and each microtask asks.
extern __thread void *cuv_thread_slot_place;
static inline void *cuv_thread_slot(void) { return cuv_thread_slot_place; }
static inline void cuv_set_thread_slot(void *slot) { cuv_thread_slot_place = slot; }

/// Names the calling thread for debuggers. Linux keeps the first 15 bytes.
void cuv_name_thread(const char *name);

/// Ignores SIGPIPE, unless the program has chosen otherwise. libuv writes with plain `write`.
void cuv_ignore_sigpipe(void);

/// Lets the calling thread receive a signal. Dispatch's threads block it, and so do threads that these have
/// started.
void cuv_unblock_signal(int signal);

// MARK: Descriptors (system.c)

/// How many bytes can be read from a socket or a pipe at once; none if the system doesn't say.
int cuv_readable_bytes(int fd);

/// Whether a read wouldn't wait, nor report the end.
bool cuv_can_be_read(int fd);

bool cuv_is_open(int fd);

/// The pointer that this process keeps in a slot, from 0 to 2. If it is NULL, it becomes `made`. Any thread may ask.
void *cuv_process_variable(int slot, void *made);

/// Duplicates a descriptor. The duplicate lies above the standard ones and isn't inherited. Returns it, or a
/// libuv error code.
int cuv_duplicate(int fd);

/// Makes `place` a duplicate of `fd` that isn't inherited. Returns 0 or a libuv error code.
int cuv_replace(int place, int fd);

/// Returns 0 or a libuv error code.
int cuv_set_nonblocking(int fd);
int cuv_close_on_exec(int fd);

/// Makes a descriptor blocking again. Returns 0 or a libuv error code.
int cuv_set_blocking(int fd);

/// The flags with which a descriptor was opened, or a libuv error code.
int cuv_open_flags(int fd);

/// Whether a call on a descriptor may wait.
bool cuv_is_blocking(int fd);

/// Opens the null device in place of each standard descriptor that is closed. Otherwise the next descriptor
/// would be that one, and libuv ends a program that closes it.
void cuv_fill_standard_descriptors(void);

/// Opens the pipe or the terminal of a descriptor once more, so that its blocking mode is nobody else's. Returns the
/// descriptor, or a libuv error code where the system can't do that.
int cuv_reopen(int fd, int flags);

/// Whether a descriptor is a datagram socket. For libuv this includes one of the Unix domain.
bool cuv_is_datagram_socket(int fd);

/// How many bytes the path of a Unix domain socket may have. An older libuv silently cuts a longer path short.
size_t cuv_socket_path_limit(void);

/// Removes the file of a Unix domain socket that no process has any more. Returns 0 if it has gone, or a libuv
/// error code: UV_EADDRINUSE for a socket that a process has and for a file that isn't a socket, UV_EACCES if
/// this process may not ask.
int cuv_remove_stale_socket(const char *path);

/// Has the terminal whose mode was changed get its mode back when a signal ends the program, unless the program
/// handles that signal itself. The program ends by the signal all the same.
///
/// - again: Whether to do so only if it was done before: a handler that stood in its place has gone.
void cuv_guard_terminal(bool again);

/// Changes the size of a terminal's window. Returns 0 or a libuv error code.
int cuv_resize_terminal(int fd, unsigned short columns, unsigned short rows);

/// Adds to the permissions of a file. Returns 0 or a libuv error code.
int cuv_add_permissions(const char *path, mode_t permissions);

/// Closes a descriptor. Returns 0 or a libuv error code. The system lets go of the descriptor even if it is
/// interrupted.
int cuv_close(int fd);

// MARK: Waking a loop (system.c)

// On its receiving side, an older libuv's async handle spins and yields. An eventfd costs one system call on each
// side.
#ifdef __linux__
int cuv_eventfd(void);
void cuv_eventfd_signal(int fd);
void cuv_eventfd_clear(int fd);
#endif

// MARK: Loops (system.c)

// Variadic in libuv.
int cuv_loop_block_signal(uv_loop_t *loop, int signal);
int cuv_loop_measure_idle_time(uv_loop_t *loop);

// MARK: File operations in batches (file_queue.c)

/// The kinds of operations.
enum cuv_file_call {
  CUV_FILE_OPEN,
  CUV_FILE_STAT,
  CUV_FILE_LSTAT,
  CUV_FILE_FSTAT,
  CUV_FILE_READ,
  CUV_FILE_WRITE,
  CUV_FILE_CLOSE,
  /// Sets the times of a path, of a path or the link itself, and of a descriptor.
  CUV_FILE_UTIME,
  CUV_FILE_LUTIME,
  CUV_FILE_FUTIME,
};

/// One operation: libuv's request, and the arguments of the call to make.
struct cuv_file_operation {
  // This comes first, so that a pointer to the operation is also a pointer to its request.
  uv_fs_t request;
  struct cuv_file_operation *next;
  /// The pointer to this operation in the queue; NULL once a thread has taken it.
  struct cuv_file_operation **place;
  enum cuv_file_call call;
  uv_file file;
  int flags, mode;
  int64_t offset;
  uv_buf_t buffer;
  /// Several buffers, in place of `buffer`. The code that made the operation owns the list.
  uv_buf_t *buffers;
  unsigned buffer_count;
  /// The access time and the modification time to set.
  uv_timespec_t times[2];
  /// For calls that take a path: `short_path`, or memory of its own.
  char *path;
  /// When the operation was queued, and when a thread began and ended it; zero unless the queue is timed.
  uint64_t queued, begun, ended;
  char short_path[160];
};

/// The operations that wait for a thread, and those that wait for the loop.
struct cuv_file_queue {
  pthread_mutex_t lock;
  /// Under the lock: the waiting operations, their number, and how many threads of the pool work on them.
  struct cuv_file_operation *first, **last;
  int waiting, threads;
  /// Keeps apart, by a line of the caches, what different threads write at the same time. Swift imports no struct
  /// that is aligned to a line.
  char apart[64];
  /// The operations that have been performed, the latest first; changed atomically.
  struct cuv_file_operation *finished;
  /// Wakes the loop; called on any thread.
  void (*wake)(intptr_t target);
  intptr_t target;
  /// The Swift object that owns this.
  void *owner;
  char also_apart[64];
  /// Of the loop's thread alone: the operations that it has gathered, their number, and whether operations note
  /// their times.
  struct cuv_file_operation *first_gathered, **last_gathered;
  int gathered;
  bool is_timed;
};

/// Keeps a copy of the path. Returns 0 or a libuv error code.
int cuv_file_set_path(struct cuv_file_operation *operation, const char *path);

/// Frees the memory of the request and of the copy of the path.
void cuv_file_cleanup(struct cuv_file_operation *operation);

void cuv_file_queue_init(struct cuv_file_queue *queue);
void cuv_file_queue_destroy(struct cuv_file_queue *queue);
/// Has the queue wake the loop by its eventfd, or by its async handle.
#ifdef __linux__
void cuv_file_queue_wakes(struct cuv_file_queue *queue, int fd);
#else
void cuv_file_queue_wakes(struct cuv_file_queue *queue, uv_async_t *handle);
#endif

/// Adds an operation to those that wait for `cuv_file_queue_append`, and returns how many there are.
int cuv_file_queue_gather(struct cuv_file_queue *queue, struct cuv_file_operation *operation);

/// Hands the operations that have been gathered to the threads.
void cuv_file_queue_append(struct cuv_file_queue *queue);

/// How many more threads are needed, at most `limit` in all. They are counted from now on.
int cuv_file_queue_engage(struct cuv_file_queue *queue, int limit);

/// Finishes an operation with `UV_ECANCELED` if it waits. An operation that a thread has taken is performed all
/// the same. Returns whether this was the last one that waited, so that no thread is needed any more.
bool cuv_file_queue_cancel(struct cuv_file_queue *queue, struct cuv_file_operation *operation);

/// One thread fewer works on the queue: it was cancelled before it began.
void cuv_file_queue_disengage(struct cuv_file_queue *queue);

/// All operations that have been performed, the earliest first.
struct cuv_file_operation *cuv_file_queue_finished(struct cuv_file_queue *queue);

/// Ends all waiting operations with a code, because no thread can be had. A close still closes its
/// descriptor.
void cuv_file_queue_refuse(struct cuv_file_queue *queue, int code);

/// Sets one more thread to work. Returns 0 or a libuv error code; in that case the thread isn't counted any
/// more.
int cuv_file_queue_start( struct cuv_file_queue *queue, uv_loop_t *loop, uv_work_t *work, uv_after_work_cb done);

// MARK: Opening without waiting (opening.c)

/// Results beside libuv's error codes: what is at the path is no file.
enum { CUV_IS_FIFO = -5101, CUV_IS_SOCKET = -5102 };

/// Opens a file that child processes don't inherit. It doesn't wait for another process; neither do reads and
/// writes of what is opened. Returns the descriptor, a libuv error code, or one of the results above.
int cuv_open_file(const char *path, int flags, int mode);

/// Closes what was opened and is no file. Returns the descriptor, a libuv error code, or one of the results above.
///
/// `fd` is the descriptor, or the libuv error code of the attempt to open the path.
int cuv_judge_opened(const char *path, int fd);

// MARK: Whole files, in one job of the thread pool (whole_files.c, copies.c)

/// Writes all bytes at a file's own position. Returns 0 or a libuv error code.
int cuv_write_all(int fd, const void *start, size_t count);

enum cuv_job_kind {
  CUV_JOB_READ, CUV_JOB_WRITE, CUV_JOB_COPY,
  // Trees of files (trees.c).
  CUV_JOB_MAKE_FOLDERS, CUV_JOB_REMOVE_TREE, CUV_JOB_COPY_TREE, CUV_JOB_MOVE
};

/// The counts of a job on a tree; changed atomically.
struct cuv_tree_progress {
  uint64_t files, folders, bytes;
};
static inline uint64_t cuv_tree_count(const uint64_t *counter) { return __atomic_load_n(counter, __ATOMIC_RELAXED); }

/// A whole file to read, write or copy on the thread pool.
///
/// - Reading puts the file's bytes into a buffer from malloc.
/// - With `atomic`, writing makes a temporary file beside the file and renames that over it, so that a reader sees
///   either the old contents or the new, never a part. With `sync`, it waits until the contents and the name have
///   reached the disk.
/// - Copying takes libuv's flags in `mode`. With `sync`, a tree's copies get the times of their originals.
struct cuv_file_job {
  uv_work_t work;
  enum cuv_job_kind kind;
  char *path, *target;
  void *bytes;
  size_t count, limit;
  int mode, atomic, sync;
  /// Where a tree's job counts, or null.
  struct cuv_tree_progress *progress;
  /// The path in a tree at which its job has failed, from malloc.
  char *failed;
  /// 0, a libuv error code, or a result of opening.
  int result;
  /// The agreement between the loop and the thread; changed atomically, and only once.
  int end;
};
int cuv_file_job_queue(uv_loop_t *loop, struct cuv_file_job *job, uv_after_work_cb done);

/// Has a job that has begun stop. It then leaves nothing behind, and its result is `UV_ECANCELED`. Returns false if
/// it has done its work already.
bool cuv_file_job_cancel(struct cuv_file_job *job);

/// Whether the job is to stop.
bool cuv_file_job_is_cancelled(struct cuv_file_job *job);

/// Does the job's last step, which makes its work known; false if the job was cancelled before.
bool cuv_file_job_commit(struct cuv_file_job *job);

/// Does that at the end of work that went well. Returns `error`, or `UV_ECANCELED` if the job was cancelled before.
static inline int cuv_file_job_finish(struct cuv_file_job *job, int error) {
  return error ? error : cuv_file_job_commit(job) ? 0 : UV_ECANCELED;
}

/// Writes at most so many bytes between two looks at whether the job is to stop.
int cuv_write_for_job(struct cuv_file_job *job, int fd, const void *bytes, size_t count);

/// Writes a name that no other file has to `name`. Returns 0 or a libuv error code.
int cuv_temporary_name(char name[24]);

/// Copies a file. Returns 0, a libuv error code, or a result of opening.
int cuv_copy_file(struct cuv_file_job *job);

/// The permissions of a copy. Programs that run as their owner or as their group do so only if the copy has the same (POSIX, mv).
mode_t cuv_copied_mode(const struct stat *original, const struct stat *copy);

/// Copies the contents and the permissions of an open file to another one, which is empty.
int cuv_fill_copy(
    struct cuv_file_job *job, int from, int to, const struct stat *original, const struct stat *copy);

/// Each does one kind of job on a tree. Returns 0, a libuv error code, or a result of opening.
int cuv_make_folders(struct cuv_file_job *job);
int cuv_remove_tree(struct cuv_file_job *job);
int cuv_copy_tree(struct cuv_file_job *job);
int cuv_move(struct cuv_file_job *job);

// MARK: Which library a piece of code belongs to (libraries.c)

/// The file that contains the code at an address, and where that begins.
struct cuv_place {
  const char *file;
  void *start;
};
/// Returns 0 if nothing contains the address.
int cuv_find_place(const void *address, struct cuv_place *place);

/// Keeps the library that this is part of in memory for as long as the process lives: what a thread calls
/// when it ends is code of ours, and a host may have unloaded an addon by then. Does nothing in a program.
void cuv_stay_loaded(void);

/// A function of the library that `origin` is code of; null if that has none of this name that can be found.
void *cuv_find_function(uintptr_t origin, const char *name);

// MARK: Functions that the oldest libuv doesn't have (libraries.c)

// As its newer headers declare them. The header that this is compiled with may be older than the libuv that
// the program runs with, and the other way round. So these functions are looked up, and never linked.

/// `uv_version()`, with which a bit of `uv_tcp_bind` begins to mean something.
enum { CUV_TCP_REUSEPORT_SINCE = 0x013100, CUV_TCP_REUSEPORT = 2 };

/// 1.45: `uv_metrics_t`.
struct cuv_metrics {
  uint64_t loop_count, events, events_waiting;
  uint64_t *reserved[13];
};
typedef int (*cuv_metrics_info)(uv_loop_t *loop, struct cuv_metrics *metrics);
cuv_metrics_info cuv_find_metrics_info(const uv_loop_t *loop);

/// 1.50: several datagrams with one system call. Returns how many have been sent, or the error of the first.
typedef int (*cuv_udp_try_send2)(
    uv_udp_t *socket, unsigned count, uv_buf_t *bufs[], unsigned buf_counts[], struct sockaddr *addresses[],
    unsigned flags);
cuv_udp_try_send2 cuv_find_udp_try_send2(const uv_loop_t *loop);

/// How many datagrams libuv 1.50 to 1.52 send right: of more, they leave out some after each 20.
enum { CUV_UDP_BATCH = 20 };

/// A datagram to send.
struct cuv_datagram {
  uv_buf_t bytes;
  struct sockaddr_storage address;
};

/// Copies an address that has room for every kind.
void cuv_datagram_set_address(struct cuv_datagram *datagram, const struct sockaddr *address);

/// Sends up to `CUV_UDP_BATCH` datagrams, all of them to an address or none.
int cuv_udp_send_batch(
    cuv_udp_try_send2 send, uv_udp_t *socket, struct cuv_datagram *datagrams, unsigned count, bool have_addresses);
