// eventfd, and pipes within a host.

#include "files.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: eventfd

struct counter {
  struct file file;
  uint64_t value;
  bool is_semaphore;
};

static uint32_t counter_poll(struct file *file) {
  struct counter *counter = (struct counter *)file;
  return (counter->value > 0 ? EPOLLIN : 0) | (counter->value < UINT64_MAX - 1 ? EPOLLOUT : 0);
}

static ssize_t counter_read(struct file *file, const struct iovec *parts, int count) {
  struct counter *counter = (struct counter *)file;
  if (count < 1 || parts[0].iov_len < 8) return -EINVAL;
  if (!counter->value) return -EAGAIN;
  uint64_t value = counter->is_semaphore ? 1 : counter->value;
  counter->value -= value;
  memcpy(parts[0].iov_base, &value, 8);
  file_changed(file);
  return 8;
}

static ssize_t counter_write(struct file *file, const struct iovec *parts, int count) {
  struct counter *counter = (struct counter *)file;
  uint64_t value;
  if (count < 1 || parts[0].iov_len < 8) return -EINVAL;
  memcpy(&value, parts[0].iov_base, 8);
  if (value == UINT64_MAX) return -EINVAL;
  if (value > UINT64_MAX - 1 - counter->value) return -EAGAIN;
  counter->value += value;
  file_changed(file);
  return 8;
}

static const struct kind counter_kind = {
    .name = "eventfd", .poll = counter_poll, .read = counter_read, .write = counter_write};

int eventfd(unsigned value, int flags) {
  if (!IS_SIMULATED) return REAL(eventfd)(value, flags);
  int code = planned(CALL_eventfd);
  if (code < 0) return (int)traced(CALL_eventfd, -1, code, value);
  struct counter *counter = file_make(&counter_kind, sizeof *counter, O_RDWR | (flags & EFD_NONBLOCK));
  counter->value = value;
  counter->is_semaphore = flags & EFD_SEMAPHORE;
  return (int)traced(CALL_eventfd, -1, descriptor_make(&counter->file, flags & EFD_CLOEXEC), value);
}

// MARK: Pipes

enum { PIPE_SIZE = 65536, PIPE_BLOCK = 4096 };

struct pipe {
  struct buffer bytes;
  struct file *reader, *writer;
};

struct pipe_end {
  struct file file;
  struct pipe *pipe;
};

static uint32_t reader_poll(struct file *file) {
  struct pipe *pipe = ((struct pipe_end *)file)->pipe;
  return (pipe->bytes.count > 0 ? EPOLLIN : 0) | (pipe->writer ? 0 : EPOLLHUP);
}

static uint32_t writer_poll(struct file *file) {
  struct pipe *pipe = ((struct pipe_end *)file)->pipe;
  return (pipe->bytes.count + PIPE_BLOCK <= PIPE_SIZE ? EPOLLOUT : 0) | (pipe->reader ? 0 : EPOLLERR);
}

static ssize_t pipe_read(struct file *file, const struct iovec *parts, int count) {
  struct pipe *pipe = ((struct pipe_end *)file)->pipe;
  size_t size = parts_size(parts, count);
  if (size > pipe->bytes.count) size = pipe->bytes.count;
  if (!size) return pipe->writer && parts_size(parts, count) ? -EAGAIN : 0;
  buffer_copy(&pipe->bytes, 0, parts, count, size);
  buffer_drop(&pipe->bytes, size);
  if (pipe->writer) file_changed(pipe->writer);
  return (ssize_t)size;
}

static ssize_t pipe_write(struct file *file, const struct iovec *parts, int count) {
  struct pipe *pipe = ((struct pipe_end *)file)->pipe;
  if (!pipe->reader) return -EPIPE;
  size_t size = parts_size(parts, count), room = PIPE_SIZE - pipe->bytes.count;
  // A small write is written whole or not at all.
  if (size > room) {
    if (size <= PIPE_BLOCK || !room) return -EAGAIN;
    size = room;
  }
  buffer_put(&pipe->bytes, parts, count, 0, size);
  file_changed(pipe->reader);
  return (ssize_t)size;
}

static int pipe_readable(struct file *file) { return (int)((struct pipe_end *)file)->pipe->bytes.count; }

static void end_close(struct file *file) {
  struct pipe *pipe = ((struct pipe_end *)file)->pipe;
  if (pipe->reader == file) pipe->reader = NULL;
  if (pipe->writer == file) pipe->writer = NULL;
  struct file *other = pipe->reader ? pipe->reader : pipe->writer;
  if (other) {
    file_changed(other);
  } else {
    buffer_free(&pipe->bytes);
    free(pipe);
  }
}

static const struct kind reader_kind = {
    .name = "pipe", .type = S_IFIFO, .poll = reader_poll, .read = pipe_read, .readable = pipe_readable,
    .close = end_close};
static const struct kind writer_kind = {
    .name = "pipe", .type = S_IFIFO, .poll = writer_poll, .write = pipe_write, .close = end_close};

int pipe_make(int ends[2], int flags) {
  struct pipe *pipe = calloc(1, sizeof *pipe);
  struct pipe_end *reader = file_make(&reader_kind, sizeof *reader, O_RDONLY | (flags & O_NONBLOCK));
  struct pipe_end *writer = file_make(&writer_kind, sizeof *writer, O_WRONLY | (flags & O_NONBLOCK));
  reader->pipe = writer->pipe = pipe;
  pipe->reader = &reader->file;
  pipe->writer = &writer->file;
  ends[0] = descriptor_make(&reader->file, flags & O_CLOEXEC);
  if (ends[0] < 0) {
    file_release(&writer->file);
    return ends[0];
  }
  ends[1] = descriptor_make(&writer->file, flags & O_CLOEXEC);
  if (ends[1] >= 0) return 0;
  descriptor_close(sim_self->process, ends[0]);
  return ends[1];
}

int pipe2(int ends[2], int flags) {
  if (!IS_SIMULATED) return REAL(pipe2)(ends, flags);
  return (int)traced(CALL_pipe, -1, UNLESS_PLANNED(CALL_pipe, pipe_make(ends, flags)), (uint64_t)flags);
}

int pipe(int ends[2]) {
  if (!IS_SIMULATED) return REAL(pipe)(ends);
  return (int)traced(CALL_pipe, -1, UNLESS_PLANNED(CALL_pipe, pipe_make(ends, 0)), 0);
}
