// Stands in for `uv_udp_try_send2`, which sends several datagrams in one call, with a libuv that hasn't it.

#include "test_hooks.h"

#include <stddef.h>

extern int uv_udp_try_send(void *socket, const void *buffers, unsigned count, const void *address);

enum { MOST = 256 };
static int answers[MOST], answer_count, answers_given;
static struct test_batch calls[MOST];
static int call_count;

static int try_send2(
    void *socket, unsigned count, void *buffers[], unsigned buffer_counts[], void *addresses[], unsigned flags) {
  (void)flags;
  if (call_count < MOST) {
    struct test_batch *call = &calls[call_count++];
    *call = (struct test_batch){.count = (int)count};
    for (unsigned i = 0; i < count; i++) call->with_address += addresses[i] != NULL;
  }
  int most = answers_given < answer_count ? answers[answers_given++] : (int)count;
  if (most <= 0) return most;
  for (int i = 0; i < most && i < (int)count; i++) {
    int code = uv_udp_try_send(socket, buffers[i], buffer_counts[i], addresses[i]);
    if (code < 0) return i > 0 ? i : code;
  }
  return most < (int)count ? most : (int)count;
}

const void *test_batches_begin(const int *given, int count) {
  answer_count = count < MOST ? count : MOST;
  for (int i = 0; i < answer_count; i++) answers[i] = given[i];
  answers_given = call_count = 0;
  return (const void *)try_send2;
}

int test_batches_call(int index, struct test_batch *call) {
  if (index >= call_count) return 0;
  *call = calls[index];
  return 1;
}
