#ifdef __linux__
#define _GNU_SOURCE
#include "http_answers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// The length of the body, by the field that says so; -1 without one.
static int64_t body_length(const char *head) {
  static const char name[] = "\r\ncontent-length:";
  const char *field = strcasestr(head, name);
  return field == NULL ? -1 : strtoll(field + sizeof name - 1, NULL, 10);
}

/// Takes bytes of a head. How many; -1 if the answer isn't what it must be.
static ssize_t take_head(struct http_answers *answers, struct session *session, const char *bytes, size_t count) {
  size_t before = answers->head_count;
  size_t room = sizeof answers->head - 1 - before;
  size_t part = count < room ? count : room;
  memcpy(answers->head + before, bytes, part);
  answers->head[before + part] = 0;
  const char *end = strstr(answers->head, "\r\n\r\n");
  if (end == NULL) {
    if (part == room) return session_fail(session, "an answer's head is longer than 1,022 bytes", 0);
    answers->head_count += (uint32_t)part;
    return (ssize_t)part;
  }
  size_t length = (size_t)(end + 4 - answers->head);
  answers->head[length] = 0;
  answers->head_count = 0;
  answers->missing = session->size;
  if (strncmp(answers->head, "HTTP/1.1 200 ", 13) != 0) {
    answers->head[strcspn(answers->head, "\r")] = 0;
    strncpy(session->error, answers->head, sizeof session->error - 1);
    return -1;
  }
  if (body_length(answers->head) != (int64_t)session->size) {
    return session_fail(session, "an answer hasn't the length that was asked for", 0);
  }
  return (ssize_t)(length - before);
}

int http_answers_take(
    struct http_answers *answers, struct session *session, const char *bytes, size_t count, uint32_t most) {
  uint32_t ended = 0;
  while (count > 0) {
    if (ended == most) return session_fail(session, "an answer came that was not asked for", 0);
    if (answers->missing == 0) {
      ssize_t part = take_head(answers, session, bytes, count);
      if (part < 0) return -1;
      bytes += part;
      count -= (size_t)part;
    }
    if (answers->missing == 0) continue;
    size_t part = count < answers->missing ? count : answers->missing;
    size_t at = session->size - answers->missing;
    if (memcmp(bytes, session->body + at, part) != 0) {
      return session_fail(session, "a body isn't what it must be", 0);
    }
    bytes += part;
    count -= part;
    answers->missing -= part;
    if (answers->missing == 0) ended++;
  }
  return (int)ended;
}
#endif
