#pragma once

#include "baseline.h"

#include <uv.h>

/// A row, in a list of all.
struct cb_named {
  const char *name;
  cb_row run;
  struct cb_named *next;
};

void cb_add(struct cb_named *row);

/// Gives a file's row its name, before `main` begins: no other file has to know it.
#define CB_ROW(text, function)                                     \
  __attribute__((constructor)) static void add_##function(void) { \
    static struct cb_named row = {.name = text, .run = function}; \
    cb_add(&row);                                                  \
  }

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
