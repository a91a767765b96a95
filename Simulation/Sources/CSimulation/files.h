/// What descriptors of a host refer to.
#pragma once

#include "kernel.h"

#include <sys/epoll.h>

struct file;

/// A callback that is called when a file may have become ready.
struct watch {
  struct watch *next, *previous;
  struct file *file;
  void (*changed)(struct watch *watch);
  /// The file has been closed.
  void (*gone)(struct watch *watch);
};

/// What a kind of files does. An error is negative; -EAGAIN means that the call would have to wait.
struct kind {
  const char *name;
  uint32_t type;
  uint32_t (*poll)(struct file *file);
  ssize_t (*read)(struct file *file, const struct iovec *parts, int count);
  ssize_t (*write)(struct file *file, const struct iovec *parts, int count);
  int (*readable)(struct file *file);
  void (*close)(struct file *file);
};

/// The first part of every file. It stays while a descriptor or a call refers to it.
struct file {
  const struct kind *kind;
  int references, flags;
  /// Whether the last call was refused by the weather; the next one isn't then.
  bool was_refused;
  struct watch *watches;
  struct queue waiters;
  uint64_t number;
};

void *file_make(const struct kind *kind, size_t size, int flags);
void file_hold(struct file *file);
void file_release(struct file *file);
/// The file may be ready for something now.
void file_changed(struct file *file);
/// Waits until the file may be ready; -EINTR if a signal comes whose handler doesn't ask for another try.
int file_wait(struct file *file, const char *call);
/// Whether a call on a socket has to find it not ready, although it is: Linux may report too early.
bool refusal_is_drawn(struct file *file);
static inline bool refusal_is_due(struct file *file) {
  return __builtin_expect(kernel.weather.refusal != 0, 0) && refusal_is_drawn(file);
}
/// Whether it is one that may be found not ready.
bool socket_may_refuse(const struct file *file);
void watch_add(struct watch *watch, struct file *file);
void watch_remove(struct watch *watch);

/// A process may have the lowest numbers, too, but none is given to a file unless it is asked for.
enum { LOW_DESCRIPTORS = 16 };

/// Where a descriptor is in the table of its process; negative if there is no such descriptor.
static inline int descriptor_place(int number) {
  if (number >= FIRST_DESCRIPTOR) return number - FIRST_DESCRIPTOR + LOW_DESCRIPTORS;
  return number < LOW_DESCRIPTORS ? number : -1;
}

static inline int descriptor_number(int place) {
  return place < LOW_DESCRIPTORS ? place : place - LOW_DESCRIPTORS + FIRST_DESCRIPTOR;
}

/// The file of a descriptor of the running thread's process; null if there is none.
struct file *file_of(int descriptor);
/// The lowest descriptor from 1000 that is free, which then refers to the file; an error is negative. Takes the reference over.
int descriptor_make(struct file *file, bool closes_on_exec);
int descriptor_make_from(struct file *file, bool closes_on_exec, int least);
/// Whether the running thread's process may have another descriptor.
bool descriptors_have_room(void);
int descriptor_close(struct process *process, int descriptor);
/// Has a descriptor refer to the file, whatever it has referred to before. Takes the reference over.
void descriptor_put(struct process *process, int descriptor, struct file *file, bool closes_on_exec);
struct descriptor *descriptor_at(int number);
/// Closes all descriptors of a process.
void files_drop(struct process *process);
/// Gives a process that begins those that its parent has.
void descriptors_copy(struct process *to, const struct process *from);
/// Closes those that another program doesn't get.
void descriptors_exec(struct process *process);
/// Gives a process its standard input, output and error.
void standard_open(struct process *process);
/// Whether a descriptor of the running thread's process is still the one that it has had from the start.
bool standard_is_own(int descriptor);

size_t parts_size(const struct iovec *parts, int count);

// MARK: Bytes that wait

struct buffer {
  char *bytes;
  size_t start, count, capacity;
};

void buffer_put(struct buffer *buffer, const struct iovec *parts, int count, size_t skip, size_t size);
/// Copies bytes out without taking them away.
void buffer_copy(const struct buffer *buffer, size_t skip, const struct iovec *parts, int count, size_t size);
void buffer_drop(struct buffer *buffer, size_t size);
void buffer_move(struct buffer *to, struct buffer *from, size_t size);
void buffer_free(struct buffer *buffer);

int pipe_make(int ends[2], int flags);
