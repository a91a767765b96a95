// fs-stat: one uv_fs_stat; what it says of the size goes into the checksum.

#include "jobs.h"

static void on_stat(uv_fs_t *request) {
  struct job *job = request->data;
  ssize_t answer = request->result;
  uint64_t size = request->statbuf.st_size;
  uv_fs_req_cleanup(request);
  if (answer < 0) {
    job_failed(job, (int)answer, "uv_fs_stat");
  } else {
    job_done(job, size);
  }
}

static void start(struct job *job, const char *path) {
  job->request.data = job;
  int error = uv_fs_stat(&job->all->loop, &job->request, path, on_stat);
  if (error != 0) job_failed(job, error, "uv_fs_stat");
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return jobs_run(params, result, 0, start);
}

CB_ROW("fs-stat", run)
