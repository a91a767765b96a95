// Counts system calls where they are made: in the C library, by standing in front of
// it. Exact for what libuv and the rows call, without a tracer, also in a container.
// What the C library calls for itself (a lock that waits, a directory it reads) is not
// seen. Counted apart is what depends on timing: waits, since one may bring any number of
// answers, and calls in vain, which found nothing to do (EAGAIN) or could not write all.

#include "bench_hooks.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t system_calls, vain_calls, waits, jobs, wakeups;

uint64_t bench_hooks_system_calls(void) { return atomic_load(&system_calls); }
uint64_t bench_hooks_vain_calls(void) { return atomic_load(&vain_calls); }
uint64_t bench_hooks_waits(void) { return atomic_load(&waits); }
uint64_t bench_hooks_jobs(void) { return atomic_load(&jobs); }
uint64_t bench_hooks_wakeups(void) { return atomic_load(&wakeups); }

__attribute__((noinline)) void bench_hooks_mark(void) { __asm__ volatile("" ::: "memory"); }

#if defined(__linux__) && defined(__GLIBC__) && !defined(BENCH_HOOKS_LEFT_OUT)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define NEXT ((void *)-1l)
#include <errno.h>
#include <stdarg.h>

// Declared by hand: the system's headers wrap some of these in ways that a definition
// cannot repeat.
extern void *dlsym(void *handle, const char *name);

// A thread's last calls come from what it clears up, when a sanitizer has already taken leave of it.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)
#endif

static inline void note(_Atomic uint64_t *counter) {
  if (bench_hooks_is_counting()) atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/// Counts a call that returned `result`; `asked` is what a whole write would have returned.
static inline void note_call(long result, long asked) {
  int in_vain = result < 0 ? errno == EAGAIN : result < asked;
  note(in_vain ? &vain_calls : &system_calls);
}

/// As the system has it, whose header declares what is defined here.
struct part {
  void *bytes;
  size_t count;
};

static long sum(const void *parts, int count) {
  long all = 0;
  for (int i = 0; i < count; i++) all += (long)((const struct part *)parts)[i].count;
  return all;
}

// Weak, so that a program that is linked statically takes the real ones and counts nothing.
#define COUNTED(counter, result, name, parameters, arguments)                  \
  result name parameters;                                                      \
  __attribute__((weak)) result name parameters {                               \
    static result (*_Atomic next) parameters;                                  \
    if (next == NULL) next = (result(*) parameters)dlsym(NEXT, #name);         \
    note(&counter);                                                            \
    return next arguments;                                                     \
  }

#define CALLED(result, name, parameters, arguments, asked)                     \
  result name parameters;                                                      \
  __attribute__((weak)) result name parameters {                               \
    static result (*_Atomic next) parameters;                                  \
    if (next == NULL) next = (result(*) parameters)dlsym(NEXT, #name);         \
    result got = next arguments;                                               \
    note_call(got, asked);                                                     \
    return got;                                                                \
  }

#define WAIT(name, parameters, arguments) COUNTED(waits, int, name, parameters, arguments)
#define CALL(name, parameters, arguments) CALLED(long, name, parameters, arguments, 0)
#define WRITE(name, parameters, arguments, asked) CALLED(long, name, parameters, arguments, asked)
#define CALL_INT(name, parameters, arguments) CALLED(int, name, parameters, arguments, 0)

// How often a loop's own descriptor for wake-ups is read and written depends on how many
// wake-ups fall together, so that is left out; the wake-ups themselves are counted.
enum { DESCRIPTORS = 4096 };
static _Atomic char is_event[DESCRIPTORS];

static int carries_events(int fd) { return fd >= 0 && fd < DESCRIPTORS && is_event[fd]; }

int eventfd(unsigned value, int flags);
__attribute__((weak)) int eventfd(unsigned value, int flags) {
  static int (*_Atomic next)(unsigned, int);
  if (next == NULL) next = (int (*)(unsigned, int))dlsym(NEXT, "eventfd");
  note(&system_calls);
  int fd = next(value, flags);
  if (fd >= 0 && fd < DESCRIPTORS) is_event[fd] = 1;
  return fd;
}

#define TRANSFER(name, pointer, asked)                                         \
  long name(int fd, pointer bytes, size_t count);                              \
  __attribute__((weak)) long name(int fd, pointer bytes, size_t count) {       \
    static long (*_Atomic next)(int, pointer, size_t);                         \
    if (next == NULL) next = (long (*)(int, pointer, size_t))dlsym(NEXT, #name); \
    long got = next(fd, bytes, count);                                         \
    if (!carries_events(fd)) note_call(got, asked);                            \
    return got;                                                                \
  }
TRANSFER(read, void *, 0)
TRANSFER(write, const void *, (long)count)

int close(int fd);
__attribute__((weak)) int close(int fd) {
  static int (*_Atomic next)(int);
  if (next == NULL) next = (int (*)(int))dlsym(NEXT, "close");
  if (fd >= 0 && fd < DESCRIPTORS) is_event[fd] = 0;
  note(&system_calls);
  return next(fd);
}

CALL(readv, (int fd, const void *parts, int count), (fd, parts, count))
WRITE(writev, (int fd, const void *parts, int count), (fd, parts, count), sum(parts, count))
CALL(pread64, (int fd, void *bytes, size_t count, long at), (fd, bytes, count, at))
WRITE(pwrite64, (int fd, const void *bytes, size_t count, long at), (fd, bytes, count, at), (long)count)
WRITE(send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags), (long)count)
CALL(recv, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
CALL(sendmsg, (int fd, const void *message, int flags), (fd, message, flags))
WRITE(sendfile, (int to, int from, long *offset, size_t count), (to, from, offset, count), (long)count)
CALL(recvmsg, (int fd, void *message, int flags), (fd, message, flags))
CALL_INT(accept4, (int fd, void *address, void *length, int flags), (fd, address, length, flags))
CALL_INT(accept, (int fd, void *address, void *length), (fd, address, length))
CALL_INT(connect, (int fd, const void *address, unsigned length), (fd, address, length))
CALL_INT(shutdown, (int fd, int how), (fd, how))
CALL_INT(epoll_ctl, (int fd, int what, int other, void *event), (fd, what, other, event))
CALL_INT(timerfd_settime, (int fd, int flags, const void *value, void *old), (fd, flags, value, old))
CALL_INT(setsockopt, (int fd, int level, int name, const void *value, unsigned length),
         (fd, level, name, value, length))
CALL_INT(getsockopt, (int fd, int level, int name, void *value, void *length),
         (fd, level, name, value, length))
CALL_INT(stat64, (const char *path, void *status), (path, status))
CALL_INT(lstat64, (const char *path, void *status), (path, status))
CALL_INT(fstat64, (int fd, void *status), (fd, status))
CALL_INT(unlink, (const char *path), (path))
CALL_INT(rename, (const char *from, const char *to), (from, to))
WAIT(epoll_wait, (int fd, void *events, int count, int timeout), (fd, events, count, timeout))
WAIT(epoll_pwait, (int fd, void *events, int count, int timeout, const void *mask),
     (fd, events, count, timeout, mask))
WAIT(poll, (void *descriptors, unsigned long count, int timeout), (descriptors, count, timeout))

// Called with the mode or without; the third argument is harmless where it is unused.
#define OPEN(name)                                                             \
  int name(const char *path, int flags, ...);                                  \
  __attribute__((weak)) int name(const char *path, int flags, ...) {           \
    static int (*_Atomic next)(const char *, int, ...);                        \
    if (next == NULL) next = (int (*)(const char *, int, ...))dlsym(NEXT, #name); \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    unsigned mode = va_arg(rest, unsigned);                                    \
    va_end(rest);                                                              \
    note(&system_calls);                                                       \
    return next(path, flags, mode);                                            \
  }
OPEN(open)
OPEN(open64)

// The way in for calls that the C library has no name for; six arguments at most.
long syscall(long number, ...);
__attribute__((weak)) long syscall(long number, ...) {
  static long (*_Atomic next)(long, ...);
  if (next == NULL) next = (long (*)(long, ...))dlsym(NEXT, "syscall");
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  note(&system_calls);
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// A job of a Swift task that an executor runs: with a custom executor, each was enqueued
// once. Five words travel as C passes them.
void swift_job_run_on_serial_and_task_executor(void *, void *, void *, void *, void *);
__attribute__((weak)) void swift_job_run_on_serial_and_task_executor(
    void *job, void *serial, void *serial_table, void *task, void *task_table) {
  static void (*_Atomic next)(void *, void *, void *, void *, void *);
  if (next == NULL) {
    next = (void (*)(void *, void *, void *, void *, void *))dlsym(
        NEXT, "swift_job_run_on_serial_and_task_executor");
  }
  note(&jobs);
  next(job, serial, serial_table, task, task_table);
}

// What another thread wakes a loop of libuv with.
COUNTED(wakeups, int, uv_async_send, (void *handle), (handle))

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
