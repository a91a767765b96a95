#include "bench_resp.h"

#include <string.h>

/// The load generator must not be slower than what it loads, so there is no printf.
static void put_digits(char *bytes, uint64_t number, int count) {
  for (; count > 0; number /= 10) bytes[--count] = (char)('0' + number % 10);
}

static size_t put_value(char *bytes, const char *value, size_t size) {
  int digits = size < 10 ? 1 : size < 100 ? 2 : size < 1000 ? 3 : 4;
  size_t head = (size_t)digits + 3;
  bytes[0] = '$';
  put_digits(bytes + 1, size, digits);
  memcpy(bytes + head - 2, "\r\n", 2);
  memcpy(bytes + head, value, size);
  memcpy(bytes + head + size, "\r\n", 2);
  return head + size + 2;
}

size_t bench_resp_request(char *bytes, uint64_t key, const char *value, size_t size) {
  static const char head[] = "*2\r\n$3\r\nGET\r\n$16\r\nkey:000000000000\r\n";
  size_t count = sizeof head - 1;
  memcpy(bytes, head, count);
  put_digits(bytes + count - 14, key, 12);
  if (value == NULL) return count;
  bytes[1] = '3';
  bytes[8] = 'S';
  return count + put_value(bytes + count, value, size);
}

size_t bench_resp_answer(char *bytes, const char *value, size_t size) {
  if (value != NULL) return put_value(bytes, value, size);
  memcpy(bytes, "+OK\r\n", 5);
  return 5;
}

void bench_resp_bytes(size_t size, uint64_t gets, uint64_t sets, uint64_t *requests, uint64_t *answers) {
  static const char value[BENCH_RESP_VALUE];
  char bytes[BENCH_RESP_VALUE + BENCH_RESP_FRAME];
  *requests = gets * bench_resp_request(bytes, 0, NULL, size) + sets * bench_resp_request(bytes, 0, value, size);
  *answers = gets * bench_resp_answer(bytes, value, size) + sets * bench_resp_answer(bytes, NULL, size);
}
