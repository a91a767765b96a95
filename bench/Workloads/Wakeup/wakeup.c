// wakeup: another thread wakes the loop with uv_async_send and waits for the answer.

#include "common.h"

struct wakeup {
  const struct cb_params *params;
  struct cb_result *result;
  uv_async_t async;
  struct bench_pinger *pinger;
};

static void send_wakeup(void *context) { uv_async_send(context); }

static void on_async(uv_async_t *async) {
  struct wakeup *wakeup = async->data;
  if (bench_pinger_answer(wakeup->pinger) != 0) return;
  cb_window(wakeup->params, 0);
  // The thread must have left uv_async_send before its handle closes.
  wakeup->result->checksum = bench_pinger_join(wakeup->pinger, &wakeup->result->operations);
  uv_close((uv_handle_t *)async, NULL);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return cb_fail(result, error, "uv_loop_init");
  struct wakeup wakeup = {.params = params, .result = result};
  uv_async_init(&loop, &wakeup.async, on_async);
  wakeup.async.data = &wakeup;
  cb_window(params, 1);
  wakeup.pinger = bench_pinger_start(
      params->operations, params->latencies, params->cpu, send_wakeup, &wakeup.async);
  if (wakeup.pinger == NULL) {
    cb_fail(result, UV_EAGAIN, "pthread_create");
    uv_close((uv_handle_t *)&wakeup.async, NULL);
  }
  return cb_run_and_close(&loop, result);
}

CB_ROW("wakeup", run)
