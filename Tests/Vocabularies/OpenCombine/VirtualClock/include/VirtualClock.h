#pragma once
#include <stdint.h>

/// Has the calling thread's monotonic clock stand still until virtual_clock_end.
void virtual_clock_begin(void);
/// Sets the calling thread's clock, in milliseconds since virtual_clock_begin.
void virtual_clock_set(uint64_t milliseconds);
/// The calling thread's time in milliseconds since virtual_clock_begin.
uint64_t virtual_clock_get(void);
/// Lets the calling thread's clock go on.
void virtual_clock_end(void);
