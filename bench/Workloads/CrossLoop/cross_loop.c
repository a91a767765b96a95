// cross-loop: messages to a loop on another thread, which answers each.

#include "common.h"

#include <pthread.h>
#include <stdlib.h>

struct message {
  struct message *next;
  uint64_t index, value, started_ns;
};

/// A loop, and what was sent to it.
struct side {
  uv_loop_t loop;
  uv_async_t async;
  pthread_mutex_t mutex;
  struct message *first, **last;
};

struct cross {
  const struct cb_params *params;
  struct cb_result *result;
  struct side own, other;
  uint64_t issued;
  int is_over;
};

static void post(struct side *to, struct message *message) {
  message->next = NULL;
  pthread_mutex_lock(&to->mutex);
  *to->last = message;
  to->last = &message->next;
  pthread_mutex_unlock(&to->mutex);
  uv_async_send(&to->async);
}

static struct message *take(struct side *side) {
  pthread_mutex_lock(&side->mutex);
  struct message *first = side->first;
  side->first = NULL;
  side->last = &side->first;
  pthread_mutex_unlock(&side->mutex);
  return first;
}

static void on_question(uv_async_t *async) {
  struct cross *cross = async->data;
  // Nothing else is under way then.
  if (__atomic_load_n(&cross->is_over, __ATOMIC_ACQUIRE)) return uv_close((uv_handle_t *)async, NULL);
  for (struct message *message = take(&cross->other), *next; message != NULL; message = next) {
    next = message->next;
    message->value = bench_mix(cross->params->seed + message->index);
    post(&cross->own, message);
  }
}

static void issue(struct cross *cross, struct message *message) {
  if (cross->issued == cross->params->operations) return;
  message->index = cross->issued++;
  message->started_ns = bench_now_ns();
  post(&cross->other, message);
}

static void on_answer(uv_async_t *async) {
  struct cross *cross = async->data;
  for (struct message *message = take(&cross->own), *next; message != NULL; message = next) {
    next = message->next;
    bench_latency_record(cross->params->latencies, bench_now_ns() - message->started_ns);
    cross->result->checksum += bench_share(message->index, message->value);
    cross->result->operations++;
    issue(cross, message);
  }
  if (cross->result->operations < cross->params->operations) return;
  cb_window(cross->params, 0);
  __atomic_store_n(&cross->is_over, 1, __ATOMIC_RELEASE);
  uv_async_send(&cross->other.async);
  uv_close((uv_handle_t *)async, NULL);
}

static int open_side(struct cross *cross, struct side *side, uv_async_cb callback) {
  pthread_mutex_init(&side->mutex, NULL);
  side->last = &side->first;
  int error = uv_loop_init(&side->loop);
  if (error == 0) error = uv_async_init(&side->loop, &side->async, callback);
  side->async.data = cross;
  return error;
}

static void *run_other(void *argument) {
  struct cross *cross = argument;
  bench_pin_thread(cross->params->cpu);
  uv_run(&cross->other.loop, UV_RUN_DEFAULT);
  return NULL;
}

static int run(const struct cb_params *params, struct cb_result *result) {
  struct cross cross = {.params = params, .result = result};
  struct message *messages = calloc(params->in_flight, sizeof *messages);
  pthread_t thread;
  int error = messages == NULL ? UV_ENOMEM : open_side(&cross, &cross.own, on_answer);
  if (error == 0) error = open_side(&cross, &cross.other, on_question);
  if (error == 0) error = -pthread_create(&thread, NULL, run_other, &cross);
  if (error != 0) {
    cb_fail(result, error, "cross-loop");
    free(messages);
    return error;
  }
  cb_window(params, 1);
  for (uint32_t i = 0; i < params->in_flight; i++) issue(&cross, &messages[i]);
  error = cb_run_and_close(&cross.own.loop, result);
  pthread_join(thread, NULL);
  if (uv_loop_close(&cross.other.loop) != 0) cb_fail(result, UV_EBUSY, "a handle was left open");
  pthread_mutex_destroy(&cross.own.mutex);
  pthread_mutex_destroy(&cross.other.mutex);
  free(messages);
  return result->error[0] != 0 ? UV_EIO : error;
}

CB_ROW("cross-loop", run)
