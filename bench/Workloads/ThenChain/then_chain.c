// then-chain: three transformations of a value, each a callback of its own that is
// deferred through a first-in first-out queue. The queue is drained like microtasks:
// in one go, with a bound per turn of the loop after which an idle handle goes on.

#include "common.h"

#include <stdlib.h>

enum { TURN = 1024 };

struct link {
  struct chains *all;
  void (*call)(struct link *link);
  uint64_t index;
  uint64_t value;
  uint64_t started_ns;
};

struct chains {
  const struct cb_params *params;
  struct cb_result *result;
  uint64_t issued;
  struct link *links;
  struct link **queue;  // a ring: one place for each chain under way suffices
  uint32_t mask, head, tail;
};

static void defer(struct link *link, void (*call)(struct link *link)) {
  struct chains *all = link->all;
  link->call = call;
  all->queue[all->tail++ & all->mask] = link;
}

static void next(struct link *link);

static void three(struct link *link) {
  struct chains *all = link->all;
  uint64_t value = bench_step_three(link->value);
  if (bench_latency_is_sampled(link->index)) {
    bench_latency_record(all->params->latencies, bench_now_ns() - link->started_ns);
  }
  all->result->checksum += bench_share(link->index, value);
  all->result->operations++;
  next(link);
}

static void two(struct link *link) {
  link->value = bench_step_two(link->value);
  defer(link, three);
}

static void one(struct link *link) {
  link->value = bench_step_one(link->value);
  defer(link, two);
}

static void next(struct link *link) {
  struct chains *all = link->all;
  if (all->issued == all->params->operations) return;
  link->index = all->issued++;
  if (bench_latency_is_sampled(link->index)) link->started_ns = bench_now_ns();
  link->value = bench_mix(all->params->seed + link->index);
  defer(link, one);
}

static void on_idle(uv_idle_t *idle) {
  struct chains *all = idle->data;
  for (int i = 0; i < TURN && all->head != all->tail; i++) {
    struct link *link = all->queue[all->head++ & all->mask];
    link->call(link);
  }
  if (all->head == all->tail) {
    cb_window(all->params, 0);
    uv_close((uv_handle_t *)idle, NULL);
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  uint32_t places = 1;
  while (places < params->in_flight) places *= 2;
  struct chains all = {.params = params, .result = result, .mask = places - 1};
  all.links = calloc(params->in_flight, sizeof *all.links);
  all.queue = calloc(places, sizeof *all.queue);
  uv_loop_t loop;
  int error = all.links == NULL || all.queue == NULL ? UV_ENOMEM : uv_loop_init(&loop);
  if (error != 0) {
    cb_fail(result, error, "then-chain");
  } else {
    uv_idle_t idle;
    uv_idle_init(&loop, &idle);
    idle.data = &all;
    cb_window(params, 1);
    for (uint32_t i = 0; i < params->in_flight; i++) {
      all.links[i].all = &all;
      next(&all.links[i]);
    }
    uv_idle_start(&idle, on_idle);
    error = cb_run_and_close(&loop, result);
  }
  free(all.links);
  free(all.queue);
  return error;
}

CB_ROW("then-chain", run)
