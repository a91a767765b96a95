// File operations on their way to the thread pool and back, in batches.
//
// libuv hands each operation to the pool, and each answer back to the loop, by itself. Two threads are woken
// for each. Here an operation waits in a list until a thread that is already at work has time for it. Answers
// gather until the loop has time for them. So a busy loop and a busy pool rarely wake each other.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>

int cuv_file_set_path(struct cuv_file_operation *operation, const char *path) {
  size_t size = strlen(path) + 1;
  operation->path = size <= sizeof operation->short_path ? operation->short_path : (char *)malloc(size);
  if (!operation->path) return UV_ENOMEM;
  memcpy(operation->path, path, size);
  return 0;
}

void cuv_file_cleanup(struct cuv_file_operation *operation) {
  uv_fs_req_cleanup(&operation->request);
  if (operation->path != operation->short_path) free(operation->path);
  operation->path = NULL;
}

/// Opens a file as `cuv_open_file` does.
static void cuv_file_perform_open(struct cuv_file_operation *operation) {
  uv_fs_t *request = &operation->request;
  uv_loop_t *loop = request->loop;
  int flags = operation->flags;
  uv_fs_open(loop, request, operation->path, flags | O_NONBLOCK, operation->mode, NULL);
  // A caller that asks for it in the flags gets the file as it is.
  if (flags & O_NONBLOCK) return;
  if (request->result == UV_EAGAIN) {
    uv_fs_req_cleanup(request);
    uv_fs_open(loop, request, operation->path, flags, operation->mode, NULL);
  }
  request->result = cuv_judge_opened(operation->path, (int)request->result);
}

/// Sets times to the nanosecond. libuv's functions take seconds in a double, and cut them to microseconds.
static void cuv_file_perform_utime(struct cuv_file_operation *operation) {
  int flags = operation->call == CUV_FILE_LUTIME ? AT_SYMLINK_NOFOLLOW : 0;
  const uv_timespec_t *given = operation->times;
  struct timespec times[2] = {{given[0].tv_sec, given[0].tv_nsec}, {given[1].tv_sec, given[1].tv_nsec}};
  int code = operation->call == CUV_FILE_FUTIME ? futimens(operation->file, times)
                                                : utimensat(AT_FDCWD, operation->path, times, flags);
  operation->request.result = code < 0 ? uv_translate_sys_error(errno) : 0;
}

/// Makes the call on the calling thread. Without a callback, libuv touches nothing of the loop.
static void cuv_file_perform(struct cuv_file_operation *operation) {
  uv_fs_t *request = &operation->request;
  uv_loop_t *loop = request->loop;
  uv_file file = operation->file;
  const uv_buf_t *buffers = operation->buffers ? operation->buffers : &operation->buffer;
  unsigned count = operation->buffers ? operation->buffer_count : 1;
  switch (operation->call) {
    case CUV_FILE_OPEN: cuv_file_perform_open(operation); break;
    case CUV_FILE_STAT: uv_fs_stat(loop, request, operation->path, NULL); break;
    case CUV_FILE_LSTAT: uv_fs_lstat(loop, request, operation->path, NULL); break;
    case CUV_FILE_FSTAT: uv_fs_fstat(loop, request, file, NULL); break;
    case CUV_FILE_READ: uv_fs_read(loop, request, file, buffers, count, operation->offset, NULL); break;
    case CUV_FILE_WRITE: uv_fs_write(loop, request, file, buffers, count, operation->offset, NULL); break;
    case CUV_FILE_CLOSE: uv_fs_close(loop, request, file, NULL); break;
    case CUV_FILE_UTIME:
    case CUV_FILE_LUTIME:
    case CUV_FILE_FUTIME: cuv_file_perform_utime(operation); break;
  }
}

void cuv_file_queue_init(struct cuv_file_queue *queue) {
  memset(queue, 0, sizeof *queue);
  pthread_mutex_init(&queue->lock, NULL);
  queue->last = &queue->first;
  queue->last_gathered = &queue->first_gathered;
}

void cuv_file_queue_destroy(struct cuv_file_queue *queue) { pthread_mutex_destroy(&queue->lock); }

#ifdef __linux__
static void wake_eventfd(intptr_t fd) { cuv_eventfd_signal((int)fd); }
void cuv_file_queue_wakes(struct cuv_file_queue *queue, int fd) {
  queue->wake = wake_eventfd;
  queue->target = fd;
}
#else
static void wake_async(intptr_t handle) { uv_async_send((uv_async_t *)handle); }
void cuv_file_queue_wakes(struct cuv_file_queue *queue, uv_async_t *handle) {
  queue->wake = wake_async;
  queue->target = (intptr_t)handle;
}
#endif

int cuv_file_queue_gather(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  operation->next = NULL;
  operation->place = queue->last_gathered;
  operation->queued = queue->is_timed ? uv_hrtime() : 0;
  operation->begun = 0;
  *queue->last_gathered = operation;
  queue->last_gathered = &operation->next;
  return ++queue->gathered;
}

void cuv_file_queue_append(struct cuv_file_queue *queue) {
  if (queue->gathered == 0) return;
  pthread_mutex_lock(&queue->lock);
  *queue->last = queue->first_gathered;
  queue->first_gathered->place = queue->last;
  queue->last = queue->last_gathered;
  queue->waiting += queue->gathered;
  pthread_mutex_unlock(&queue->lock);
  queue->first_gathered = NULL;
  queue->last_gathered = &queue->first_gathered;
  queue->gathered = 0;
}

/// Takes out an operation that waits; under the lock.
static void cuv_file_queue_remove(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  *operation->place = operation->next;
  if (operation->next) operation->next->place = operation->place;
  else queue->last = operation->place;
  operation->place = NULL;
  queue->waiting--;
}

/// Takes the first waiting operation; under the lock.
static struct cuv_file_operation *cuv_file_queue_take(struct cuv_file_queue *queue) {
  struct cuv_file_operation *operation = queue->first;
  if (operation) cuv_file_queue_remove(queue, operation);
  return operation;
}

int cuv_file_queue_engage(struct cuv_file_queue *queue, int limit) {
  pthread_mutex_lock(&queue->lock);
  int wanted = limit - queue->threads;
  if (wanted > queue->waiting) wanted = queue->waiting;
  if (wanted < 0) wanted = 0;
  queue->threads += wanted;
  pthread_mutex_unlock(&queue->lock);
  return wanted;
}

void cuv_file_queue_disengage(struct cuv_file_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->threads--;
  pthread_mutex_unlock(&queue->lock);
}

/// Hands an operation that has been performed to the loop. Only the first of several wakes the loop.
static void cuv_file_queue_finish(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  struct cuv_file_operation *others = __atomic_load_n(&queue->finished, __ATOMIC_RELAXED);
  do operation->next = others;
  while (!__atomic_compare_exchange_n(
      &queue->finished, &others, operation, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  if (!others) queue->wake(queue->target);
}

bool cuv_file_queue_cancel(struct cuv_file_queue *queue, struct cuv_file_operation *operation) {
  // It may have been gathered just now.
  cuv_file_queue_append(queue);
  pthread_mutex_lock(&queue->lock);
  bool waits = operation->place != NULL;
  if (waits) cuv_file_queue_remove(queue, operation);
  bool is_last = waits && queue->waiting == 0;
  pthread_mutex_unlock(&queue->lock);
  if (!waits) return false;
  operation->request.result = UV_ECANCELED;
  cuv_file_queue_finish(queue, operation);
  return is_last;
}

struct cuv_file_operation *cuv_file_queue_finished(struct cuv_file_queue *queue) {
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
static void cuv_file_queue_work(uv_work_t *work) {
  struct cuv_file_queue *queue = (struct cuv_file_queue *)work->data;
  for (int budget = 64;; budget--) {
    pthread_mutex_lock(&queue->lock);
    struct cuv_file_operation *operation = budget > 0 ? cuv_file_queue_take(queue) : NULL;
    if (!operation) queue->threads--;
    pthread_mutex_unlock(&queue->lock);
    if (!operation) return;
    if (operation->queued) {
      operation->begun = uv_hrtime();
      cuv_file_perform(operation);
      operation->ended = uv_hrtime();
    } else {
      cuv_file_perform(operation);
    }
    cuv_file_queue_finish(queue, operation);
  }
}

void cuv_file_queue_refuse(struct cuv_file_queue *queue, int code) {
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

int cuv_file_queue_start(
    struct cuv_file_queue *queue, uv_loop_t *loop, uv_work_t *work, uv_after_work_cb done) {
  work->data = queue;
  int code = uv_queue_work(loop, work, cuv_file_queue_work, done);
  if (code < 0) cuv_file_queue_disengage(queue);
  return code;
}
