// sleep-chain: one timer after the other, each started when the last has fired.

#include "common.h"

struct chain {
  const struct cb_params *params;
  struct cb_result *result;
  uv_timer_t timer;
  uint64_t started_ns;
  uint64_t deadline_ms;
};

static void on_timer(uv_timer_t *timer);

static void next(struct chain *chain) {
  chain->started_ns = bench_now_ns();
  chain->deadline_ms = uv_now(chain->timer.loop) + chain->params->milliseconds;
  uv_timer_start(&chain->timer, on_timer, chain->params->milliseconds, 0);
}

static void on_timer(uv_timer_t *timer) {
  struct chain *chain = timer->data;
  bench_latency_record(chain->params->latencies, bench_now_ns() - chain->started_ns);
  if (uv_now(timer->loop) < chain->deadline_ms) cb_fail(chain->result, UV_EIO, "a sleep ended early");
  chain->result->checksum += bench_share(chain->result->operations, 1);
  if (++chain->result->operations < chain->params->operations) {
    next(chain);
  } else {
    cb_window(chain->params, 0);
    uv_close((uv_handle_t *)timer, NULL);
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return cb_fail(result, error, "uv_loop_init");
  struct chain chain = {.params = params, .result = result};
  uv_timer_init(&loop, &chain.timer);
  chain.timer.data = &chain;
  cb_window(params, 1);
  uv_update_time(&loop);
  next(&chain);
  return cb_run_and_close(&loop, result);
}

CB_ROW("sleep-chain", run)
