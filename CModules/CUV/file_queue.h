// File operations on their way to the thread pool and back, in batches.
//
// libuv hands each operation to the pool, and each answer back to the loop, by itself. Two threads are woken
// for each. Here an operation waits in a list until a thread that is already at work has time for it. Answers
// gather until the loop has time for them. So a busy loop and a busy pool rarely wake each other.
#pragma once

#include <uv.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// The kinds of operations.
enum cuv_file_call {
  CUV_FILE_OPEN,
  CUV_FILE_STAT,
  CUV_FILE_LSTAT,
  CUV_FILE_FSTAT,
  CUV_FILE_READ,
  CUV_FILE_WRITE,
  CUV_FILE_CLOSE,
};

/// One operation: libuv's request, and the arguments of the call to make.
struct cuv_file_operation {
  // This comes first, so that a pointer to the operation is also a pointer to its request.
  uv_fs_t request;
  struct cuv_file_operation *next;
  enum cuv_file_call call;
  bool is_cancelled;
  uv_file file;
  int flags, mode;
  int64_t offset;
  uv_buf_t buffer;
  /// Several buffers, in place of `buffer`. The code that made the operation owns the list.
  uv_buf_t *buffers;
  unsigned buffer_count;
  /// For calls that take a path: `short_path`, or memory of its own.
  char *path;
  /// When the operation was queued, and when a thread began and ended it; zero unless the queue is timed.
  uint64_t queued, begun, ended;
  char short_path[160];
};

/// Keeps a copy of the path. Returns 0 or a libuv error code.
static inline int cuv_file_set_path(struct cuv_file_operation *operation, const char *path) {
  size_t size = strlen(path) + 1;
  operation->path = size <= sizeof operation->short_path ? operation->short_path : (char *)malloc(size);
  if (!operation->path) return UV_ENOMEM;
  memcpy(operation->path, path, size);
  return 0;
}

/// Frees the memory of the request and of the copy of the path.
static inline void cuv_file_cleanup(struct cuv_file_operation *operation) {
  uv_fs_req_cleanup(&operation->request);
  if (operation->path != operation->short_path) free(operation->path);
  operation->path = NULL;
}

/// Makes the call on the calling thread. Without a callback, libuv touches nothing of the loop.
static inline void cuv_file_perform(struct cuv_file_operation *operation) {
  uv_fs_t *request = &operation->request;
  uv_loop_t *loop = request->loop;
  uv_file file = operation->file;
  const uv_buf_t *buffers = operation->buffers ? operation->buffers : &operation->buffer;
  unsigned count = operation->buffers ? operation->buffer_count : 1;
  switch (operation->call) {
    case CUV_FILE_OPEN: uv_fs_open(loop, request, operation->path, operation->flags, operation->mode, NULL); break;
    case CUV_FILE_STAT: uv_fs_stat(loop, request, operation->path, NULL); break;
    case CUV_FILE_LSTAT: uv_fs_lstat(loop, request, operation->path, NULL); break;
    case CUV_FILE_FSTAT: uv_fs_fstat(loop, request, file, NULL); break;
    case CUV_FILE_READ: uv_fs_read(loop, request, file, buffers, count, operation->offset, NULL); break;
    case CUV_FILE_WRITE: uv_fs_write(loop, request, file, buffers, count, operation->offset, NULL); break;
    case CUV_FILE_CLOSE: uv_fs_close(loop, request, file, NULL); break;
  }
}

/// The operations that wait for a thread, and those that wait for the loop.
struct cuv_file_queue {
  pthread_mutex_t lock;
  /// Under the lock: the waiting operations, their number, and how many threads of the pool work on them.
  struct cuv_file_operation *first, **last;
  int waiting, threads;
  /// The operations that have been performed, the latest first; changed atomically.
  struct cuv_file_operation *finished;
  /// Wakes the loop; called on any thread.
  void (*wake)(intptr_t target);
  intptr_t target;
  /// The Swift object that owns this.
  void *owner;
  /// Whether operations note their times. The loop's thread alone looks at it.
  bool is_timed;
};

static inline void cuv_file_queue_init(struct cuv_file_queue *queue) {
  memset(queue, 0, sizeof *queue);
  pthread_mutex_init(&queue->lock, NULL);
  queue->last = &queue->first;
}

static inline void cuv_file_queue_destroy(struct cuv_file_queue *queue) { pthread_mutex_destroy(&queue->lock); }

static inline void cuv_file_queue_append(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  operation->next = NULL;
  operation->is_cancelled = false;
  operation->queued = queue->is_timed ? uv_hrtime() : 0;
  operation->begun = 0;
  pthread_mutex_lock(&queue->lock);
  *queue->last = operation;
  queue->last = &operation->next;
  queue->waiting++;
  pthread_mutex_unlock(&queue->lock);
}

/// Takes the first waiting operation; under the lock.
static inline struct cuv_file_operation *cuv_file_queue_take(struct cuv_file_queue *queue) {
  struct cuv_file_operation *operation = queue->first;
  if (!operation) return NULL;
  queue->first = operation->next;
  if (!queue->first) queue->last = &queue->first;
  queue->waiting--;
  return operation;
}

/// How many more threads are needed, at most `limit` in all. They are counted from now on.
static inline int cuv_file_queue_engage(struct cuv_file_queue *queue, int limit) {
  pthread_mutex_lock(&queue->lock);
  int wanted = limit - queue->threads;
  if (wanted > queue->waiting) wanted = queue->waiting;
  if (wanted < 0) wanted = 0;
  queue->threads += wanted;
  pthread_mutex_unlock(&queue->lock);
  return wanted;
}

/// Marks an operation as cancelled that may be waiting. An operation that a thread has taken is performed all
/// the same.
static inline void cuv_file_queue_cancel(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  pthread_mutex_lock(&queue->lock);
  operation->is_cancelled = true;
  pthread_mutex_unlock(&queue->lock);
}

/// Hands an operation that has been performed to the loop. Only the first of several wakes the loop.
static inline void cuv_file_queue_finish(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  struct cuv_file_operation *others = __atomic_load_n(&queue->finished, __ATOMIC_RELAXED);
  do operation->next = others;
  while (!__atomic_compare_exchange_n(
      &queue->finished, &others, operation, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  if (!others) queue->wake(queue->target);
}

/// All operations that have been performed, the earliest first.
static inline struct cuv_file_operation *cuv_file_queue_finished(struct cuv_file_queue *queue) {
  if (!__atomic_load_n(&queue->finished, __ATOMIC_RELAXED)) return NULL;
  struct cuv_file_operation *latest = __atomic_exchange_n(&queue->finished, NULL, __ATOMIC_ACQUIRE);
  struct cuv_file_operation *first = NULL;
  while (latest) {
    struct cuv_file_operation *next = latest->next;
    latest->next = first;
    first = latest;
    latest = next;
  }
  return first;
}

/// Performs the waiting operations, on a thread of the pool. Ends when none waits, or when other work should
/// have the thread.
static inline void cuv_file_queue_work(uv_work_t *work) {
  struct cuv_file_queue *queue = (struct cuv_file_queue *)work->data;
  for (int budget = 64;; budget--) {
    pthread_mutex_lock(&queue->lock);
    struct cuv_file_operation *operation = budget > 0 ? cuv_file_queue_take(queue) : NULL;
    bool is_cancelled = operation && operation->is_cancelled;
    if (!operation) queue->threads--;
    pthread_mutex_unlock(&queue->lock);
    if (!operation) return;
    if (is_cancelled) {
      operation->request.result = UV_ECANCELED;
    } else if (operation->queued) {
      operation->begun = uv_hrtime();
      cuv_file_perform(operation);
      operation->ended = uv_hrtime();
    } else {
      cuv_file_perform(operation);
    }
    cuv_file_queue_finish(queue, operation);
  }
}

/// Ends all waiting operations with a code, because no thread can be had. A close still closes its
/// descriptor.
static inline void cuv_file_queue_refuse(struct cuv_file_queue *queue, int code) {
  for (;;) {
    pthread_mutex_lock(&queue->lock);
    struct cuv_file_operation *operation = queue->threads == 0 ? cuv_file_queue_take(queue) : NULL;
    pthread_mutex_unlock(&queue->lock);
    if (!operation) return;
    if (operation->call == CUV_FILE_CLOSE) cuv_file_perform(operation);
    else operation->request.result = code;
    cuv_file_queue_finish(queue, operation);
  }
}

/// Sets one more thread to work. Returns 0 or a libuv error code; in that case the thread isn't counted any
/// more.
static inline int cuv_file_queue_start(
    struct cuv_file_queue *queue, uv_loop_t *loop, uv_work_t *work, uv_after_work_cb done) {
  work->data = queue;
  int code = uv_queue_work(loop, work, cuv_file_queue_work, done);
  if (code < 0) {
    pthread_mutex_lock(&queue->lock);
    queue->threads--;
    pthread_mutex_unlock(&queue->lock);
  }
  return code;
}
