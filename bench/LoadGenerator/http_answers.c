#ifdef __linux__
#define _GNU_SOURCE
#include "http_answers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// The value of a field of a head that ends with a zero; null without it. `field` begins with the end of a line.
static const char *value(const char *head, const char *field) {
  const char *at = strcasestr(head, field);
  return at == NULL ? NULL : at + strlen(field);
}

/// Whether the body comes in chunks.
static int is_chunked(const char *head) {
  const char *coding = value(head, "\r\ntransfer-encoding:");
  return coding != NULL && memmem(coding, strcspn(coding, "\r"), "chunked", strlen("chunked")) != NULL;
}

/// Reads the head of an answer: whether it says yes, and what is to come.
static int read_head(struct http_answers *answers, struct session *session) {
  const char *head = answers->head;
  int says_yes = strncmp(head, session->is_foreign ? "HTTP/1.1 2" : "HTTP/1.1 200 ", session->is_foreign ? 10 : 13) == 0;
  if (!says_yes) {
    answers->head[strcspn(head, "\r")] = 0;
    strncpy(session->error, head, sizeof session->error - 1);
    return -1;
  }
  answers->status = strtoull(head + strlen("HTTP/1.1 "), NULL, 10);
  answers->length = 0;
  answers->digest = 14695981039346656037u;
  const char *length = value(head, "\r\ncontent-length:");
  answers->missing = length == NULL ? 0 : strtoull(length, NULL, 10);
  if (!session->is_foreign) {
    if (length != NULL && answers->missing == session->size) return 0;
    return session_fail(session, "an answer hasn't the length that was asked for", 0);
  }
  if (is_chunked(head)) {
    answers->chunk = CHUNK_SIZE;
  } else if (length == NULL && strncmp(head + strlen("HTTP/1.1 "), "204", 3) != 0) {
    return session_fail(session, "an answer says neither how long it is nor that it comes in chunks", 0);
  }
  return 0;
}

/// Notes what a server of others has answered.
static void note(uint64_t first, uint64_t value, uint64_t *low, uint64_t *high) {
  if (first || value < *low) *low = value;
  if (first || value > *high) *high = value;
}

static void note_answer(const struct http_answers *answers, struct session *session) {
  uint64_t first = session->answers.count == 0;
  note(first, answers->status, &session->answers.status.low, &session->answers.status.high);
  note(first, answers->length, &session->answers.length.low, &session->answers.length.high);
  note(first, answers->digest, &session->answers.digest.low, &session->answers.digest.high);
  session->answers.count++;
}

/// Takes bytes of a head. How many; -1 if the answer isn't what it must be. The head has ended if `head_count` is zero.
static ssize_t take_head(struct http_answers *answers, struct session *session, const char *bytes, size_t count) {
  size_t before = answers->head_count;
  size_t room = sizeof answers->head - 1 - before;
  size_t part = count < room ? count : room;
  memcpy(answers->head + before, bytes, part);
  answers->head[before + part] = 0;
  // The end may have begun in what came earlier.
  const char *end = strstr(answers->head + (before < 3 ? 0 : before - 3), "\r\n\r\n");
  if (end == NULL) {
    if (part == room) return session_fail(session, "an answer's head is longer than 8,190 bytes", 0);
    answers->head_count += (uint32_t)part;
    return (ssize_t)part;
  }
  size_t length = (size_t)(end + 4 - answers->head);
  answers->head[length] = 0;
  answers->head_count = 0;
  return read_head(answers, session) < 0 ? -1 : (ssize_t)(length - before);
}

/// Takes a byte of what stands between the chunks of a body. Zero, or -1 if it can't stand there.
static int take_framing(struct http_answers *answers, struct session *session, char byte) {
  switch (answers->chunk) {
  case CHUNK_SIZE: {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = byte == 0 ? NULL : strchr(digits, byte);
    if (digit != NULL) {
      uint64_t value = (uint64_t)(digit - digits);
      answers->missing = answers->missing * 16 + (value < 16 ? value : value - 6);
      return 0;
    }
    if (byte != ';' && byte != '\r' && byte != ' ') break;
    answers->chunk = CHUNK_EXTENSION;
    return 0;
  }
  case CHUNK_EXTENSION:
    if (byte == '\n') answers->chunk = answers->missing > 0 ? CHUNK_BYTES : TRAILER;
    return 0;
  case CHUNK_END:
    if (byte != '\r' && byte != '\n') break;
    if (byte == '\n') answers->chunk = CHUNK_SIZE;
    return 0;
  case TRAILER:
    if (byte == '\n') answers->chunk = NO_CHUNKS;
    if (byte != '\r' && byte != '\n') answers->chunk = TRAILER_LINE;
    return 0;
  case TRAILER_LINE:
    if (byte == '\n') answers->chunk = TRAILER;
    return 0;
  default: break;
  }
  return session_fail(session, "the chunks of a body aren't what they must be", 0);
}

int http_answers_is_amid(const struct http_answers *answers) {
  return answers->head_count > 0 || answers->missing > 0 || answers->chunk != NO_CHUNKS;
}

int http_answers_take(
    struct http_answers *answers, struct session *session, const char *bytes, size_t count, uint32_t most) {
  uint32_t ended = 0;
  while (count > 0) {
    if (ended == most) return session_fail(session, "an answer came that was not asked for", 0);
    size_t part;
    if (answers->chunk != NO_CHUNKS && answers->chunk != CHUNK_BYTES) {
      if (take_framing(answers, session, *bytes) < 0) return -1;
      part = 1;
    } else if (answers->missing == 0) {
      ssize_t taken = take_head(answers, session, bytes, count);
      if (taken < 0) return -1;
      part = (size_t)taken;
    } else {
      part = count < answers->missing ? count : answers->missing;
      size_t at = session->size - answers->missing;
      if (!session->is_foreign && memcmp(bytes, session->body + at, part) != 0) {
        return session_fail(session, "a body isn't what it must be", 0);
      }
      if (session->is_foreign) {
        answers->length += part;
        for (size_t i = 0; i < part; i++) answers->digest = (answers->digest ^ (unsigned char)bytes[i]) * 1099511628211u;
      }
      answers->missing -= part;
      if (answers->missing == 0 && answers->chunk == CHUNK_BYTES) answers->chunk = CHUNK_END;
    }
    bytes += part;
    count -= part;
    if (http_answers_is_amid(answers)) continue;
    ended++;
    if (session->is_foreign) note_answer(answers, session);
  }
  return (int)ended;
}
#endif
