#pragma once

#include "session.h"

/// What has come of the answers on a connection of `http-hello`.
struct http_answers {
  /// The head of the answer that is coming, as far as it has come.
  char head[1024];
  uint32_t head_count;
  /// Bytes of its body that are missing.
  uint64_t missing;
};

/// Takes what came. How many answers ended in it; -1 if one isn't the answer to our request, or if there are more than
/// `most`.
int http_answers_take(
    struct http_answers *answers, struct session *session, const char *bytes, size_t count, uint32_t most);
