#pragma once

#include "common.h"

/// One operation under way: its request or handle, its buffer and its place in
/// the run. As many exist as are in flight, and each is used again.
struct job {
  struct jobs *all;
  uint64_t index;
  uint64_t started_ns;
  union {
    uv_fs_t request;
    uv_getaddrinfo_t lookup;
    uv_process_t process;
    uv_tcp_t tcp;
  };
  uv_connect_t connect;
  /// What it has found, until it has ended.
  uint64_t found;
  uv_file file;
  size_t expected;
  char *buffer;
  size_t capacity;
};

/// A run with so many jobs in flight.
struct jobs {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  /// Begins a job, which may be on the file at `path`: one of those in `cb_params.directory`, in turn.
  void (*start)(struct job *job, const char *path);
  uint64_t issued;
  struct job *jobs;
  char paths[BENCH_FILES][1024];
};

/// Runs `operations` jobs, `in_flight` at a time.
int jobs_run(
    const struct cb_params *params, struct cb_result *result, size_t buffer,
    void (*start)(struct job *job, const char *path));

/// Ends a job with what it found, and begins the next.
void job_done(struct job *job, uint64_t value);

/// Ends a job that failed; the run ends when those in flight have.
void job_failed(struct job *job, int error, const char *what);

/// Makes room for `count` bytes; the same buffer serves all later operations.
int job_reserve(struct job *job, size_t count);
