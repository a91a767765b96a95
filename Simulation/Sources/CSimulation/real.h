/// libc's own functions.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stddef.h>

/// The function of that name that would be called if this layer weren't there. Conditions have two versions of each
/// function, of which only the later one is meant.
static inline void *real_function(const char *name) {
#if defined(__x86_64__)
  if (__builtin_memcmp(name, "pthread_cond_", 13) == 0) {
    void *function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (function) return function;
  }
#endif
  return dlsym(RTLD_NEXT, name);
}

#define REAL(name)                                                                                           \
  ({                                                                                                         \
    static __typeof__(&name) real_pointer;                                                                   \
    if (__builtin_expect(!real_pointer, 0)) real_pointer = (__typeof__(&name))real_function(#name);          \
    real_pointer;                                                                                            \
  })
