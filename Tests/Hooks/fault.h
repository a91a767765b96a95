#pragma once

#include "test_hooks.h"

/// The ways in which a function can fail.
enum {
  FAULT_ENOMEM = 1,
  FAULT_EMFILE = 2,
  FAULT_EAGAIN = 4,
  FAULT_EINTR = 8,
  FAULT_SHORT = 16,
  FAULT_EIO = 32,
};

int fault_is_armed(void);

/// The fault that this call is to have, 0 for none. Without a caller, the call is one of ours.
int fault_due(const char *name, int layer, int mask, const void *caller);

/// Whether the C library's functions are stood in front of.
int fault_reaches_system(void);

/// Notes a function that can be made to fail, before `main`.
void fault_register(const char *name, int layer, int mask);
#define FAULT_REGISTER(name, layer, mask)                                                                    \
  __attribute__((constructor)) static void register_##name(void) { fault_register(#name, layer, mask); }
