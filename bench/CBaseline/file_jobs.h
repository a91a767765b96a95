#pragma once

#include "common.h"

/// One operation on a file under way: its request, its buffer and its place in
/// the run. As many exist as are in flight, and each is used again.
struct file_job {
  struct file_jobs *all;
  uint64_t index;
  uint64_t started_ns;
  uv_fs_t request;
  uv_file file;
  size_t expected;
  char *buffer;
  size_t capacity;
};

/// A run over the files of `cb_params.directory`, with so many jobs in flight.
struct file_jobs {
  const struct cb_params *params;
  struct cb_result *result;
  uv_loop_t loop;
  void (*start)(struct file_job *job, const char *path);
  uint64_t issued;
  struct file_job *jobs;
  char paths[BENCH_FILES][1024];
};

/// Runs `operations` jobs, `in_flight` at a time; `start` begins one.
int file_jobs_run(
    const struct cb_params *params, struct cb_result *result, size_t buffer,
    void (*start)(struct file_job *job, const char *path));

/// Ends a job with what it found, and begins the next.
void file_job_done(struct file_job *job, uint64_t value);

/// Ends a job that failed; the run ends when those in flight have.
void file_job_failed(struct file_job *job, int error, const char *what);

/// Makes room for `count` bytes; the same buffer serves all later operations.
int file_job_reserve(struct file_job *job, size_t count);
