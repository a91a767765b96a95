// The library's interface. Call every function on the thread that runs the loop.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Reports the outcome of the call with this token: 0 or a code of libuv's, and bytes that are valid until it
// returns.
typedef void (*example_answer)(uintptr_t token, int32_t code, const uint8_t *bytes, ptrdiff_t count);

// Adopts a loop, a uv_loop_t. Returns null and a code if it can't.
void *example_start(void *loop, example_answer answer, int32_t *code);
// Leaves the loop: what is pending ends with ECANCELED. Run the loop until this is answered.
void example_stop(void *plugin, uintptr_t token);

void example_sleep(void *plugin, uintptr_t token, ptrdiff_t milliseconds);
void example_read_file(void *plugin, uintptr_t token, const char *path);
void example_cancel(void *plugin, uintptr_t token);
// Returns a port, or a code.
int32_t example_serve_echo(void *plugin);
