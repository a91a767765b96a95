/// The workloads in plain C on libuv: the floor that every style is compared with.
/// What one operation is, and what is checked, stands beside each.
#pragma once

#include "bench_support.h"

#include <stdint.h>

/// What one run of a row is asked to do. A row reads only what its workload uses.
struct cb_params {
  /// How many operations to do.
  uint64_t operations;
  /// What the data of this run follows from.
  uint64_t seed;
  /// Servers: how many connections to serve before the row ends.
  uint32_t connections;
  /// Bytes of a message, a write or a file.
  uint32_t size;
  /// How many operations are under way at a time. `overload`: at most; 0 for any number.
  uint32_t in_flight;
  /// Timers: see `bench_timer_delay_ms`. `sleep-chain`: the length of a sleep.
  uint32_t milliseconds;
  /// Timers: how many others run meanwhile; see `bench_standing_delay_ms`.
  uint32_t standing;
  /// Timers: whether a call has a time limit.
  uint32_t limited;
  /// Cancellations: which operation; see `uvbench run --list`.
  uint32_t what;
  /// Cancellations: where a connection stays pending; the row sets it itself. Clients: where the server is.
  uint16_t port;
  /// Wake-ups: the processor of the other thread, or -1.
  int32_t cpu;
  /// Files: where `bench_files_write` put them.
  const char *directory;
  /// Where latencies go; never null.
  struct bench_latency *latencies;
  /// Timers: where starts and firings are written down.
  struct bench_timer_ledger *ledger;
  /// TLS: the file with the server's certificate and key; null without it.
  const char *identity;
  /// Servers: the address of IPv4 or IPv6 to listen on.
  const char *host;
  /// Unix domain sockets: where to listen; null without them.
  const char *path;
  /// Called with 1 when the measured window opens and with 0 when it closes. Servers
  /// do not call it: the load generator knows when its requests are done.
  void (*window)(void *context, int open);
  /// Servers: called once with the port that was bound; 0 for a path.
  void (*listening)(void *context, uint16_t port);
  /// Servers: called once when the last connection has closed.
  void (*closed)(void *context);
  /// Passed to all of them.
  void *context;
};

/// What a row did.
struct cb_result {
  uint64_t operations;
  uint64_t checksum;
  uint64_t bytes_read;
  uint64_t bytes_written;
  /// A sentence, when the row failed.
  char error[160];
};

/// Every row: zero, or a negative libuv error with `error` set.
typedef int (*cb_row)(const struct cb_params *params, struct cb_result *result);

/// The row of that name; null if there is none.
cb_row cb_find(const char *name);

/// The version of the libuv that is linked, such as `1.52.1`.
const char *cb_libuv_version(void);
