// spawn: a child that ends at once.

#include "jobs.h"

static void on_closed(uv_handle_t *handle) {
  struct job *job = handle->data;
  job_done(job, job->found);
}

static void on_exit(uv_process_t *process, int64_t code, int signal) {
  struct job *job = process->data;
  job->found = code == 0 && signal == 0;
  uv_close((uv_handle_t *)process, on_closed);
}

static void start(struct job *job, const char *path) {
  (void)path;
  char *arguments[] = {"/bin/true", NULL};
  uv_process_options_t options = {.exit_cb = on_exit, .file = arguments[0], .args = arguments};
  job->process.data = job;
  int error = uv_spawn(&job->all->loop, &job->process, &options);
  if (error == 0) return;
  job_failed(job, error, "uv_spawn");
  uv_close((uv_handle_t *)&job->process, NULL);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  return jobs_run(params, result, 0, start);
}

CB_ROW("spawn", run)
