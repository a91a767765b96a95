#pragma once

#include <stddef.h>
#include <stdint.h>

/// Requests by HTTP that are sent in turn, as they were given.
struct requests {
  char *bytes;
  /// Where each begins, and where the last ends.
  uint32_t *starts;
  uint32_t count;
};

/// Reads `text`: the bytes of each request in hexadecimal digits, with a comma between two requests. Zero, or -1 if it isn't that.
int requests_read(struct requests *requests, const char *text);

void requests_end(struct requests *requests);
