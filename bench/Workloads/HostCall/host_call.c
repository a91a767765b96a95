// host-call: a function that is called with a callback, which it calls in the same turn.

#include "common.h"

struct call {
  void (*answer)(struct call *call, uint64_t value);
  uint64_t index;
  struct cb_result *result;
};

// Not inlined, as one of a library isn't.
__attribute__((noinline)) static void ask(struct call *call) { call->answer(call, 1); }

static void on_answer(struct call *call, uint64_t value) {
  call->result->checksum += bench_share(call->index, value);
  call->result->operations++;
}

static void on_idle(uv_idle_t *idle) {
  const struct cb_params *params = ((void **)idle->data)[0];
  struct cb_result *result = ((void **)idle->data)[1];
  for (uint64_t i = 0; i < params->operations; i++) {
    uint64_t start = bench_latency_is_sampled(i) ? bench_now_ns() : 0;
    struct call call = {.answer = on_answer, .index = i, .result = result};
    ask(&call);
    if (start != 0) bench_latency_record(params->latencies, bench_now_ns() - start);
  }
  cb_window(params, 0);
  uv_close((uv_handle_t *)idle, NULL);
}

static int run(const struct cb_params *params, struct cb_result *result) {
  uv_loop_t loop;
  int error = uv_loop_init(&loop);
  if (error != 0) return cb_fail(result, error, "host-call");
  void *both[] = {(void *)params, result};
  uv_idle_t idle;
  uv_idle_init(&loop, &idle);
  idle.data = both;
  cb_window(params, 1);
  uv_idle_start(&idle, on_idle);
  return cb_run_and_close(&loop, result);
}

CB_ROW("host-call", run)
