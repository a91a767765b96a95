#include "bench_pinger.h"

#include "bench_clock.h"
#include "bench_payload.h"
#include "bench_process.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef __APPLE__
#include <dispatch/dispatch.h>
typedef dispatch_semaphore_t semaphore;
static void semaphore_init(semaphore *s) { *s = dispatch_semaphore_create(0); }
static void semaphore_post(semaphore *s) { dispatch_semaphore_signal(*s); }
static void semaphore_wait(semaphore *s) { dispatch_semaphore_wait(*s, DISPATCH_TIME_FOREVER); }
static void semaphore_destroy(semaphore *s) { dispatch_release(*s); }
#else
#include <semaphore.h>
typedef sem_t semaphore;
static void semaphore_init(semaphore *s) { sem_init(s, 0, 0); }
static void semaphore_post(semaphore *s) { sem_post(s); }
static void semaphore_wait(semaphore *s) {
  while (sem_wait(s) != 0 && errno == EINTR) {
  }
}
static void semaphore_destroy(semaphore *s) { sem_destroy(s); }
#endif

enum { NOTHING, PING, FINISHED };

struct bench_pinger {
  pthread_t thread;
  semaphore answered_signal;
  atomic_int pending;
  uint64_t operations;
  uint64_t current;
  uint64_t answered;
  uint64_t checksum;
  struct bench_latency *latencies;
  int cpu;
  void (*send)(void *context);
  void *context;
};

static void *run(void *argument) {
  struct bench_pinger *pinger = argument;
  if (pinger->cpu >= 0) bench_pin_thread(pinger->cpu);
  for (uint64_t i = 0; i < pinger->operations; i++) {
    uint64_t start = bench_now_ns();
    pinger->current = i;
    atomic_store_explicit(&pinger->pending, PING, memory_order_release);
    pinger->send(pinger->context);
    semaphore_wait(&pinger->answered_signal);
    bench_latency_record(pinger->latencies, bench_now_ns() - start);
  }
  atomic_store_explicit(&pinger->pending, FINISHED, memory_order_release);
  pinger->send(pinger->context);
  return NULL;
}

struct bench_pinger *bench_pinger_start(
    uint64_t operations, struct bench_latency *latencies, int cpu,
    void (*send)(void *context), void *context) {
  struct bench_pinger *pinger = calloc(1, sizeof *pinger);
  if (pinger == NULL) return NULL;
  pinger->operations = operations;
  pinger->latencies = latencies;
  pinger->cpu = cpu;
  pinger->send = send;
  pinger->context = context;
  semaphore_init(&pinger->answered_signal);
  if (pthread_create(&pinger->thread, NULL, run, pinger) == 0) return pinger;
  semaphore_destroy(&pinger->answered_signal);
  free(pinger);
  return NULL;
}

int bench_pinger_answer(struct bench_pinger *pinger) {
  switch (atomic_exchange_explicit(&pinger->pending, NOTHING, memory_order_acq_rel)) {
    case PING:
      pinger->checksum += bench_share(pinger->current, 1);
      pinger->answered++;
      semaphore_post(&pinger->answered_signal);
      return 1;
    case FINISHED:
      return 0;
    default:
      return -1;
  }
}

uint64_t bench_pinger_join(struct bench_pinger *pinger, uint64_t *answered) {
  pthread_join(pinger->thread, NULL);
  uint64_t checksum = pinger->checksum;
  *answered = pinger->answered;
  semaphore_destroy(&pinger->answered_signal);
  free(pinger);
  return checksum;
}
