#pragma once

#include "baseline.h"

#include <uv.h>

/// Notes the first failure of a run: what was tried, and what libuv said.
void cb_fail(struct cb_result *result, int error, const char *what);

/// Runs the loop until nothing is left, then closes it. A handle left open is a failure.
int cb_run_and_close(uv_loop_t *loop, struct cb_result *result);

static inline void cb_window(const struct cb_params *params, int open) {
  params->window(params->context, open);
}
