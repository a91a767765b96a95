#include "bench_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 200 };

static size_t make_head(char head[HEAD], size_t size) {
  return (size_t)snprintf(
      head, HEAD, "HTTP/1.1 200 OK\r\nServer: uvbench\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", size);
}

size_t bench_http_answer_size(size_t size) {
  char head[HEAD];
  return make_head(head, size) + size;
}

size_t bench_http_answers(size_t size, size_t count, char **answers) {
  char head[HEAD];
  size_t head_count = make_head(head, size), length = head_count + size;
  *answers = malloc(length * count);
  if (*answers == NULL) return 0;
  memcpy(*answers, head, head_count);
  for (size_t i = 0; i < size; i++) (*answers)[head_count + i] = bench_http_body(i);
  for (size_t i = 1; i < count; i++) memcpy(*answers + i * length, *answers, length);
  return length;
}
