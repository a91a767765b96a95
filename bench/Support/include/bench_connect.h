#pragma once

#include <stddef.h>
#include <stdint.h>

/// Room for an address as text.
enum { BENCH_HOST = 64 };

/// Connects to a machine by its name or address, in `milliseconds` at most for each of its addresses. The socket, with the
/// address of this side in `local`; or -1, with a few words about it in `failure`, which has room for `count` bytes.
int bench_connect(
    const char *host, uint16_t port, int milliseconds, char local[BENCH_HOST], char *failure, size_t count);
