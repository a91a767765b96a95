#include "jobs.h"

#include <stdlib.h>

static void next(struct job *job) {
  struct jobs *all = job->all;
  if (all->issued == all->params->operations || all->result->error[0] != 0) return;
  job->index = all->issued++;
  job->started_ns = bench_now_ns();
  all->start(job, all->paths[job->index % BENCH_FILES]);
}

void job_done(struct job *job, uint64_t value) {
  struct jobs *all = job->all;
  bench_latency_record(all->params->latencies, bench_now_ns() - job->started_ns);
  all->result->checksum += bench_share(job->index, value);
  all->result->operations++;
  next(job);
}

void job_failed(struct job *job, int error, const char *what) {
  cb_fail(job->all->result, error, what);
}

int job_reserve(struct job *job, size_t count) {
  if (count <= job->capacity) return 0;
  char *larger = realloc(job->buffer, count);
  if (larger == NULL) return UV_ENOMEM;
  job->buffer = larger;
  job->capacity = count;
  return 0;
}

int jobs_run(
    const struct cb_params *params, struct cb_result *result, size_t buffer,
    void (*start)(struct job *job, const char *path)) {
  struct jobs *all = calloc(1, sizeof *all);
  if (all != NULL) all->jobs = calloc(params->in_flight, sizeof *all->jobs);
  if (all == NULL || all->jobs == NULL) {
    free(all);
    return cb_fail(result, UV_ENOMEM, "jobs");
  }
  all->params = params;
  all->result = result;
  all->start = start;
  for (uint32_t i = 0; i < BENCH_FILES; i++) {
    bench_file_path(all->paths[i], sizeof all->paths[i], params->directory, i);
  }
  int error = uv_loop_init(&all->loop);
  for (uint32_t i = 0; i < params->in_flight && error == 0; i++) {
    all->jobs[i].all = all;
    if (buffer > 0) error = job_reserve(&all->jobs[i], buffer);
  }
  if (error != 0) cb_fail(result, error, "jobs");
  cb_window(params, 1);
  for (uint32_t i = 0; i < params->in_flight && error == 0; i++) next(&all->jobs[i]);
  uv_run(&all->loop, UV_RUN_DEFAULT);
  cb_window(params, 0);
  error = cb_run_and_close(&all->loop, result);
  for (uint32_t i = 0; i < params->in_flight; i++) free(all->jobs[i].buffer);
  free(all->jobs);
  free(all);
  return error;
}
