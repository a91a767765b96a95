#pragma once

#include "bench_support.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// One run: what was asked, what came of it, and what the modes share.
struct session {
  int epoll;
  uint16_t port;
  uint32_t connections;
  uint32_t size;
  uint64_t operations;
  uint64_t warmup;
  uint64_t seed;
  double rate;
  int poisson;
  int silent;

  uint64_t completed;
  uint64_t checksum;
  uint64_t wall_ns;
  struct bench_latency *latencies;
  struct bench_latency *service;
  char error[200];
};

/// Notes the first error; returns -1. `code` is an `errno`, or zero.
int session_fail(struct session *session, const char *what, int code);

/// Forgets what was counted so far: called between the warm-up and the run.
void session_reset(struct session *session);

/// Says `what` to the harness and waits for `answer`: `ready` and `go` before the run, `measured`
/// and `end` after it, so that the window is closed before any connection is. Zero, or -1 when
/// the harness is gone.
int session_tell(struct session *session, const char *what, const char *answer);

/// A non-blocking socket that is connecting to the server, or -1.
int session_connect(struct session *session);

/// A connected non-blocking socket, or -1.
int session_connect_and_wait(struct session *session);

/// Reads once; -1 with nothing noted when nothing is there, -2 after an error, zero
/// at the end of the stream.
ssize_t session_read(struct session *session, int socket, void *bytes, size_t count);

/// Writes once; how many bytes were taken (maybe zero), or -2 after an error.
ssize_t session_write(struct session *session, int socket, const void *bytes, size_t count);

/// Closes without leaving a port in TIME_WAIT.
void session_close(int socket);

int run_echo(struct session *session);
int run_accept(struct session *session);
int run_stream(struct session *session);
