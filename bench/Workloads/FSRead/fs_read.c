// fs-read: open, fstat, read up to `size` bytes, close: four trips through the pool.
// fs-read-file: the same four for a whole file of any size.

#include "jobs.h"

#include <fcntl.h>

static void on_close(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uv_fs_req_cleanup(request);
  if (answer < 0) {
    job_failed(job, (int)answer, "uv_fs_close");
  } else {
    job_done(job, bench_hash(job->buffer, job->expected));
  }
}

static void on_read(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uv_fs_req_cleanup(request);
  if (answer != (ssize_t)job->expected) {
    job_failed(job, answer < 0 ? (int)answer : UV_EOF, "uv_fs_read");
  }
  uv_fs_close(&job->all->loop, request, job->file, on_close);
}

static void on_fstat(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uint64_t size = request->statbuf.st_size;
  uv_fs_req_cleanup(request);
  int error = answer < 0 ? (int)answer : job_reserve(job, size);
  if (error != 0) {
    job_failed(job, error, "uv_fs_fstat");
    uv_fs_close(&job->all->loop, request, job->file, on_close);
    return;
  }
  job->expected = size;
  uv_buf_t buffer = uv_buf_init(job->buffer, (unsigned)size);
  uv_fs_read(&job->all->loop, request, job->file, &buffer, 1, 0, on_read);
}

static void on_open(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uv_fs_req_cleanup(request);
  if (answer < 0) {
    job_failed(job, (int)answer, "uv_fs_open");
    return;
  }
  job->file = (uv_file)answer;
  uv_fs_fstat(&job->all->loop, request, job->file, on_fstat);
}

static void start(struct job *job, const char *path) {
  job->request.data = job;
  int error = uv_fs_open(&job->all->loop, &job->request, path, O_RDONLY, 0, on_open);
  if (error != 0) job_failed(job, error, "uv_fs_open");
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return jobs_run(params, result, params->size, start);
}

CB_ROW("fs-read", run)
