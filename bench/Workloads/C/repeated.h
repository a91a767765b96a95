#pragma once

#include "common.h"

/// Operations that end at once: 1024 of them in a turn of the loop, as microtasks do them.
struct cb_repeated {
  const struct cb_params *params;
  struct cb_result *result;
  /// Before the window opens, and after it has closed; may be null.
  void (*begin)(struct cb_repeated *work);
  void (*end)(struct cb_repeated *work);
  /// Does one operation, and returns what it found.
  uint64_t (*operation)(struct cb_repeated *work);
  uv_loop_t loop;
};

/// Does all of them on a loop of their own.
int cb_repeat(struct cb_repeated *work);
