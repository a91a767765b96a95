// timer-cancel: start a timer and stop it. timeout-wrap: the same around a call that is answered at once.

#include "repeated.h"

#include <stdlib.h>

struct timers {
  struct cb_repeated work;
  uv_timer_t timer;
  /// Those that run meanwhile.
  uv_timer_t *standing;
};

static void on_timer(uv_timer_t *timer) {
  struct timers *all = timer->data;
  cb_fail(all->work.result, UV_ETIMEDOUT, "a timer fired that was to be stopped");
}

static void begin(struct cb_repeated *work) {
  struct timers *all = (struct timers *)work;
  uv_timer_init(&work->loop, &all->timer);
  all->timer.data = all;
  for (uint32_t i = 0; i < work->params->standing; i++) {
    uv_timer_init(&work->loop, &all->standing[i]);
    all->standing[i].data = all;
    uv_timer_start(&all->standing[i], on_timer, bench_standing_delay_ms(i, work->params->seed), 0);
  }
}

static void end(struct cb_repeated *work) {
  struct timers *all = (struct timers *)work;
  if (uv_is_active((uv_handle_t *)&all->timer)) cb_fail(work->result, UV_EBUSY, "a stopped timer is active");
  uv_close((uv_handle_t *)&all->timer, NULL);
  for (uint32_t i = 0; i < work->params->standing; i++) uv_close((uv_handle_t *)&all->standing[i], NULL);
}

static uint64_t start_and_stop(struct cb_repeated *work) {
  struct timers *all = (struct timers *)work;
  uv_timer_start(&all->timer, on_timer, BENCH_TIMEOUT_MS, 0);
  return uv_timer_stop(&all->timer) == 0;
}

static int run_timer_cancel(const struct cb_params *params, struct cb_result *result) {
  struct timers all = {
      .work = {.params = params, .result = result, .begin = begin, .end = end, .operation = start_and_stop},
      .standing = calloc(params->standing + 1, sizeof *all.standing),
  };
  if (all.standing == NULL) return cb_fail(result, UV_ENOMEM, "timers");
  int error = cb_repeat(&all.work);
  free(all.standing);
  return error;
}

CB_ROW("timer-cancel", run_timer_cancel)

struct call {
  void (*answer)(struct call *call, uint64_t value);
  struct timers *all;
  uint64_t value;
};

// Not inlined, as one of a library isn't.
__attribute__((noinline)) static void ask(struct call *call) { call->answer(call, 1); }

static void on_answer(struct call *call, uint64_t value) {
  if (call->all->work.params->limited) uv_timer_stop(&call->all->timer);
  call->value = value;
}

static uint64_t ask_within_limit(struct cb_repeated *work) {
  struct timers *all = (struct timers *)work;
  struct call call = {.answer = on_answer, .all = all};
  if (work->params->limited) uv_timer_start(&all->timer, on_timer, BENCH_TIMEOUT_MS, 0);
  ask(&call);
  return call.value;
}

static int run_timeout_wrap(const struct cb_params *params, struct cb_result *result) {
  struct timers all = {
      .work = {.params = params, .result = result, .begin = begin, .end = end, .operation = ask_within_limit}};
  return cb_repeat(&all.work);
}

CB_ROW("timeout-wrap", run_timeout_wrap)
