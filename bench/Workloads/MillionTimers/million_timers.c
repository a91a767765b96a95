// million-timers: start all timers in one turn, let each fire once, close it.

#include "common.h"

#include <stdlib.h>

struct timers {
  const struct cb_params *params;
  uv_timer_t *handles;
};

static void on_timer(uv_timer_t *handle) {
  struct timers *all = handle->data;
  bench_timer_fired(all->params->ledger, (uint32_t)(handle - all->handles), uv_now(handle->loop));
  uv_close((uv_handle_t *)handle, NULL);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return cb_fail(result, error, "uv_loop_init");
  cb_window(params, 1);
  struct timers all = {params, malloc(params->operations * sizeof *all.handles)};
  if (all.handles == NULL && params->operations > 0) {
    cb_fail(result, UV_ENOMEM, "timers");
  } else {
    uv_update_time(&loop);
    uint64_t now = uv_now(&loop);
    for (uint64_t i = 0; i < params->operations; i++) {
      uint64_t delay = bench_timer_delay_ms(i, params->milliseconds, params->seed);
      uv_timer_init(&loop, &all.handles[i]);
      all.handles[i].data = &all;
      bench_timer_started(params->ledger, (uint32_t)i, now, delay);
      uv_timer_start(&all.handles[i], on_timer, delay, 0);
    }
  }
  error = cb_run_and_close(&loop, result);
  free(all.handles);
  cb_window(params, 0);
  result->operations = params->ledger->fired;
  return error;
}

CB_ROW("million-timers", run)
