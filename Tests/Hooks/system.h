// Standing in front of the C library's functions, and of AddressSanitizer's, which then does not check what
// they are given. Not of ThreadSanitizer's, which learns from them what happens before what.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fault.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(SANITIZED)
#define REACHES_SYSTEM 1
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define NEXT ((void *)-1l)
// Declared by hand: the system's headers wrap some of these in ways that a definition cannot repeat.
extern void *dlsym(void *handle, const char *name);

#define CALLER __builtin_return_address(0)
#define FAULT(name, mask) fault_due(name, TEST_FAULT_SYSTEM, mask, CALLER)
#define REAL(result, name, parameters)                                                                       \
  static result(*_Atomic next) parameters;                                                                   \
  if (next == NULL) next = (result(*) parameters)dlsym(NEXT, #name)
#define FAIL_WITH(error, value)                                                                              \
  do {                                                                                                       \
    errno = error;                                                                                           \
    return value;                                                                                            \
  } while (0)

// How calls of a kind can fail.
#define DATA (FAULT_ENOMEM | FAULT_EAGAIN | FAULT_EINTR | FAULT_SHORT | FAULT_EIO)
#define MESSAGE (FAULT_ENOMEM | FAULT_EAGAIN | FAULT_EINTR)
#define OPENS (FAULT_ENOMEM | FAULT_EMFILE | FAULT_EINTR)
#define FILES (FAULT_ENOMEM | FAULT_EIO)

/// A function that returns `failed` where it fails.
#define OBTAIN(result, failed, name, mask, parameters, arguments)                                            \
  FAULT_REGISTER(name, TEST_FAULT_SYSTEM, mask)                                                              \
  result name parameters;                                                                                    \
  result name parameters {                                                                                   \
    REAL(result, name, parameters);                                                                          \
    int error = FAULT(#name, mask);                                                                          \
    if (error) FAIL_WITH(error, failed);                                                                     \
    return next arguments;                                                                                   \
  }

/// One that returns a negative number.
#define CALL(name, mask, parameters, arguments) OBTAIN(int, -1, name, mask, parameters, arguments)
#endif
