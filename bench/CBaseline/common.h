#pragma once

#include "baseline.h"

#include <uv.h>

/// Notes the first failure of a run: what was tried, and what libuv said. Returns the error.
int cb_fail(struct cb_result *result, int error, const char *what);

/// Runs the loop until nothing is left, then closes it. A handle left open is a failure.
int cb_run_and_close(uv_loop_t *loop, struct cb_result *result);

/// The address to listen on, with any port that is free.
void cb_address(const struct cb_params *params, struct sockaddr_storage *address);

/// The port of an address.
uint16_t cb_port(const struct sockaddr_storage *address);

static inline void cb_window(const struct cb_params *params, int open) {
  params->window(params->context, open);
}
