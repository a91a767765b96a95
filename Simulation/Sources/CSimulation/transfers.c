// Reading and writing, and what is done with any descriptor.

#include "network.h"
#include "real.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t hash_parts(const struct iovec *parts, int count, ssize_t size) {
  if (count == 1 || size <= 0) return size > 0 ? hash_bytes(parts[0].iov_base, (size_t)size) : 0;
  uint64_t hash = 0;
  for (int i = 0; i < count && size > 0; i++) {
    size_t length = parts[i].iov_len < (size_t)size ? parts[i].iov_len : (size_t)size;
    hash = hash * 31 + hash_bytes(parts[i].iov_base, length);
    size -= (ssize_t)length;
  }
  return hash;
}

static ssize_t transfer(int descriptor, const struct iovec *parts, int count, bool writes) {
  struct file *file = file_of(descriptor);
  if (!file) return -EBADF;
  ssize_t (*move)(struct file *, const struct iovec *, int) = writes ? file->kind->write : file->kind->read;
  int access = file->flags & O_ACCMODE;
  if (!move || access == (writes ? O_RDONLY : O_WRONLY)) return -EBADF;
  // Not what libuv wakes a loop with.
  int code = file->kind->type == S_IFREG || file->kind->type == S_IFSOCK ? planned(writes ? CALL_write : CALL_read) : 0;
  if (code < 0) return code;
  if (refusal_is_due(file)) return -EAGAIN;
  ssize_t moved;
  file_hold(file);
  while ((moved = move(file, parts, count)) == -EAGAIN && !(file->flags & O_NONBLOCK) && code == 0)
    code = file_wait(file, writes ? "write" : "read");
  if (writes && kernel.options.keeps_disk && file->kind == &tcp_kind && !(file->flags & O_NONBLOCK))
    moved = tcp_write_rest((struct socket *)file, parts, count, moved, "write");
  file_release(file);
  return moved == -EAGAIN && code < 0 ? code : moved;
}

/// The hash of what was moved. What goes through a pipe isn't hashed: libuv notifies itself of signals by addresses, which differ
/// from run to run. Nor is what is printed, which may have anything in it.
static uint64_t hash_moved(int descriptor, const struct iovec *parts, int count, ssize_t size) {
  struct file *file = file_of(descriptor);
  bool is_hashed = file && file->kind->type != S_IFIFO && file->kind->type != S_IFCHR;
  return is_hashed ? hash_parts(parts, count, size) : 0;
}

static ssize_t read_parts(int descriptor, const struct iovec *parts, int count) {
  ssize_t moved = transfer(descriptor, parts, count, false);
  return traced(CALL_read, descriptor, moved, hash_moved(descriptor, parts, count, moved));
}

static ssize_t write_parts(int descriptor, const struct iovec *parts, int count) {
  ssize_t moved = transfer(descriptor, parts, count, true);
  return traced(CALL_write, descriptor, moved, hash_moved(descriptor, parts, count, moved));
}

ssize_t read(int descriptor, void *bytes, size_t size) {
  if (LEAVES(descriptor)) return LEFT("read", descriptor, REAL(read)(descriptor, bytes, size));
  return read_parts(descriptor, &(struct iovec){bytes, size}, 1);
}

ssize_t readv(int descriptor, const struct iovec *parts, int count) {
  if (LEAVES(descriptor)) return LEFT("readv", descriptor, REAL(readv)(descriptor, parts, count));
  return read_parts(descriptor, parts, count);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (LEAVES(descriptor)) return LEFT("write", descriptor, REAL(write)(descriptor, bytes, size));
  return write_parts(descriptor, &(struct iovec){(void *)bytes, size}, 1);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (LEAVES(descriptor)) return LEFT("writev", descriptor, REAL(writev)(descriptor, parts, count));
  return write_parts(descriptor, parts, count);
}

int close(int descriptor) {
  if (LEAVES(descriptor)) return LEFT("close", descriptor, REAL(close)(descriptor));
  return (int)traced(CALL_close, descriptor, descriptor_close(sim_self->process, descriptor), 0);
}

// MARK: Duplicates

static int duplicate(int descriptor, bool closes_on_exec, int least) {
  struct file *file = file_of(descriptor);
  if (!file) return -EBADF;
  file_hold(file);
  return descriptor_make_from(file, closes_on_exec, least);
}

static int replace(int descriptor, int place, bool closes_on_exec) {
  struct file *file = file_of(descriptor);
  if (!file) return -EBADF;
  if (place < 0 || place >= FIRST_DESCRIPTOR + MOST_DESCRIPTORS) return -EBADF;
  if (descriptor_place(place) < 0) {
    fail_missing("dup2 to a descriptor between 16 and 999", __builtin_return_address(0));
    return -ENOSYS;
  }
  if (descriptor == place) return place;
  file_hold(file);
  descriptor_put(sim_self->process, place, file, closes_on_exec);
  return place;
}

int dup(int descriptor) {
  if (LEAVES(descriptor)) return LEFT("dup", descriptor, REAL(dup)(descriptor));
  return (int)traced(CALL_dup, descriptor, UNLESS_PLANNED(CALL_dup, duplicate(descriptor, false, 0)), 0);
}

int dup2(int descriptor, int place) {
  if (LEAVES(descriptor)) return LEFT("dup2", descriptor, REAL(dup2)(descriptor, place));
  return (int)traced(CALL_dup, descriptor, UNLESS_PLANNED(CALL_dup, replace(descriptor, place, false)), (uint64_t)place);
}

int dup3(int descriptor, int place, int flags) {
  if (LEAVES(descriptor)) return REAL(dup3)(descriptor, place, flags);
  if (descriptor == place) return (int)traced(CALL_dup, descriptor, -EINVAL, 0);
  return (int)traced(CALL_dup, descriptor, UNLESS_PLANNED(CALL_dup, replace(descriptor, place, flags & O_CLOEXEC)), (uint64_t)place);
}

// MARK: fcntl and ioctl

static int control(int descriptor, int command, long argument, const void *caller) {
  struct descriptor *place = descriptor_at(descriptor);
  if (!place) return -EBADF;
  enum { CHANGEABLE = O_NONBLOCK | O_APPEND };
  switch (command) {
    case F_GETFD: return place->closes_on_exec ? FD_CLOEXEC : 0;
    case F_SETFD: place->closes_on_exec = argument & FD_CLOEXEC; return 0;
    case F_GETFL: return place->file->flags;
    case F_SETFL:
      place->file->flags = (place->file->flags & ~CHANGEABLE) | ((int)argument & CHANGEABLE);
      return 0;
    case F_DUPFD: return duplicate(descriptor, false, (int)argument);
    case F_DUPFD_CLOEXEC: return duplicate(descriptor, true, (int)argument);
    default: fail_missing("fcntl with another command", caller); return -ENOSYS;
  }
}

/// What a program asks about its own standard descriptors isn't noted: the library looks once, whichever world comes first.
static int control_traced(int descriptor, int command, long argument, const void *caller) {
  struct file *file = file_of(descriptor);
  bool is_noted = descriptor > 2 || !file || file->kind->type != S_IFCHR || (command != F_GETFD && command != F_GETFL);
  int result = control(descriptor, command, argument, caller);
  if (is_noted) return (int)traced(CALL_fcntl, descriptor, result, (uint64_t)command);
  return result;
}

#define FCNTL(name)                                                                                          \
  int name(int descriptor, int command, ...) {                                                               \
    va_list rest;                                                                                            \
    va_start(rest, command);                                                                                 \
    long argument = va_arg(rest, long);                                                                      \
    va_end(rest);                                                                                            \
    if (LEAVES(descriptor)) return REAL(name)(descriptor, command, argument);                                     \
    return control_traced(descriptor, command, argument, __builtin_return_address(0));                       \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

static int ioctl_simulated(int descriptor, unsigned long request, void *argument, const void *caller) {
  struct descriptor *place = descriptor_at(descriptor);
  if (!place) return -EBADF;
  switch (request) {
    case FIONBIO:
      place->file->flags = *(int *)argument ? place->file->flags | O_NONBLOCK : place->file->flags & ~O_NONBLOCK;
      return 0;
    case FIOCLEX: place->closes_on_exec = true; return 0;
    case FIONCLEX: place->closes_on_exec = false; return 0;
    case FIONREAD:
      if (!place->file->kind->readable) return -ENOTTY;
      *(int *)argument = place->file->kind->readable(place->file);
      return 0;
    case TCGETS:
    case TIOCGWINSZ: return -ENOTTY;
    default: fail_missing("ioctl with another request", caller); return -ENOSYS;
  }
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (LEAVES(descriptor)) return LEFT("ioctl", descriptor, REAL(ioctl)(descriptor, request, argument));
  int code = ioctl_simulated(descriptor, request, argument, __builtin_return_address(0));
  return (int)traced(CALL_ioctl, descriptor, code, request);
}

int isatty(int descriptor) {
  if (LEAVES(descriptor)) return REAL(isatty)(descriptor);
  errno = ENOTTY;
  return 0;
}
