#ifdef __linux__
#include "requests.h"

#include <stdlib.h>
#include <string.h>

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  return -1;
}

int requests_read(struct requests *requests, const char *text) {
  requests_end(requests);
  size_t length = strcspn(text, " \n"), most = 2;
  for (size_t i = 0; i < length; i++) most += text[i] == ',';
  requests->bytes = malloc(length / 2 + 1);
  requests->starts = calloc(most, sizeof *requests->starts);
  if (requests->bytes == NULL || requests->starts == NULL) return -1;
  uint32_t end = 0;
  for (size_t i = 0; i <= length; i++) {
    if (i == length || text[i] == ',') {
      if (end == requests->starts[requests->count]) return -1;
      requests->starts[++requests->count] = end;
      continue;
    }
    int high = digit(text[i]), low = i + 1 < length ? digit(text[i + 1]) : -1;
    if (high < 0 || low < 0) return -1;
    requests->bytes[end++] = (char)(high * 16 + low);
    i++;
  }
  return 0;
}

void requests_end(struct requests *requests) {
  free(requests->bytes);
  free(requests->starts);
  memset(requests, 0, sizeof *requests);
}
#endif
