#include "repeated.h"

enum { PER_TURN = 1024 };

static void on_idle(uv_idle_t *idle) {
  struct cb_repeated *work = idle->data;
  for (int i = 0; i < PER_TURN && work->result->operations < work->params->operations; i++) {
    uint64_t index = work->result->operations++;
    uint64_t start = bench_latency_is_sampled(index) ? bench_now_ns() : 0;
    work->result->checksum += bench_share(index, work->operation(work));
    if (start != 0) bench_latency_record(work->params->latencies, bench_now_ns() - start);
  }
  if (work->result->operations < work->params->operations) return;
  cb_window(work->params, 0);
  uv_close((uv_handle_t *)idle, NULL);
  if (work->end != NULL) work->end(work);
}

int cb_repeat(struct cb_repeated *work) {
  int error = uv_loop_init(&work->loop);
  if (error != 0) return cb_fail(work->result, error, "uv_loop_init");
  uv_idle_t idle;
  uv_idle_init(&work->loop, &idle);
  idle.data = work;
  if (work->begin != NULL) work->begin(work);
  cb_window(work->params, 1);
  uv_idle_start(&idle, on_idle);
  return cb_run_and_close(&work->loop, work->result);
}
