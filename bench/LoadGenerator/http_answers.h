#pragma once

#include "session.h"

/// What has come of the answers on a connection.
struct http_answers {
  /// The head of the answer that is coming, as far as it has come.
  char head[8192];
  uint32_t head_count;
  /// Bytes of its body, or of the chunk of it, that are missing.
  uint64_t missing;
  /// What a server of others answers: the status, the length of the body so far, and its digest (FNV-1a).
  uint64_t status, length, digest;
  /// Where in a body that comes in chunks we are.
  enum { NO_CHUNKS, CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_BYTES, CHUNK_END, TRAILER, TRAILER_LINE } chunk;
};

/// Whether a part of an answer has come.
int http_answers_is_amid(const struct http_answers *answers);

/// Takes what came. How many answers ended in it; -1 if one isn't the answer to our request, or if there are more than
/// `most`.
int http_answers_take(
    struct http_answers *answers, struct session *session, const char *bytes, size_t count, uint32_t most);
