#pragma once

#include <stdint.h>

/// A socket that listens on 127.0.0.1 and has no room for one more connection, so that the next one stays pending.
struct bench_full_listener {
  int listener, waiting[2];
  uint16_t port;
};

/// Zero, or an `errno`.
int bench_full_listener_open(struct bench_full_listener *full);
void bench_full_listener_close(struct bench_full_listener *full);
