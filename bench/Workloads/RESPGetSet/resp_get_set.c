// resp-get-set: GET and SET of Redis' protocol on a table in memory. Commands that came together are answered together.

#include "resp_store.h"
#include "tcp_server.h"

#include <stdlib.h>
#include <string.h>

struct word {
  const char *bytes;
  size_t count;
};

/// A command: an array of byte strings.
struct command {
  struct word words[3];
  size_t count;
};

struct redis {
  struct resp_store store;
  /// The answers to what was read last.
  char answers[READ_BUFFER];
  size_t answered;
};

enum { INCOMPLETE = 0, WRONG = -1, HEAD = BENCH_RESP_VALUE + BENCH_RESP_FRAME };

/// Reads a line such as `$3`: how many bytes it has, or that it isn't complete, or wrong.
static long take_number(const char *bytes, size_t count, char mark, size_t *number) {
  if (count == 0) return INCOMPLETE;
  if (bytes[0] != mark) return WRONG;
  *number = 0;
  for (size_t at = 1; at < count && at < 8; at++) {
    if (bytes[at] == '\r') return at + 1 == count ? INCOMPLETE : at == 1 || bytes[at + 1] != '\n' ? WRONG : (long)at + 2;
    if (bytes[at] < '0' || bytes[at] > '9') return WRONG;
    *number = *number * 10 + (size_t)(bytes[at] - '0');
  }
  return count < 8 ? INCOMPLETE : WRONG;
}

/// Reads a command: how many bytes it has, or that it isn't complete, or wrong.
static long take_command(const char *bytes, size_t count, struct command *command) {
  long at = take_number(bytes, count, '*', &command->count);
  if (at > 0 && (command->count < 2 || command->count > 3)) return WRONG;
  for (size_t i = 0; at > 0 && i < command->count; i++) {
    struct word *word = &command->words[i];
    long head = take_number(bytes + at, count - (size_t)at, '$', &word->count);
    if (head <= 0) return head;
    if (word->count > BENCH_RESP_VALUE) return WRONG;
    at += head;
    if ((size_t)at + word->count + 2 > count) return INCOMPLETE;
    word->bytes = bytes + at;
    at += (long)word->count + 2;
    if (bytes[at - 2] != '\r' || bytes[at - 1] != '\n') return WRONG;
  }
  return at;
}

/// Executes a command. Zero, or a negative error.
static int execute(struct redis *redis, const struct command *command) {
  const struct word *name = &command->words[0], *key = &command->words[1];
  char *answer = redis->answers + redis->answered;
  if (name->count != 3 || redis->answered + HEAD > sizeof redis->answers) return UV_EPROTO;
  if (command->count == 3 && memcmp(name->bytes, "SET", 3) == 0) {
    const struct word *value = &command->words[2];
    if (resp_store_set(&redis->store, key->bytes, key->count, value->bytes, value->count) < 0) return UV_ENOMEM;
    redis->answered += bench_resp_answer(answer, NULL, 0);
    return 0;
  }
  if (command->count != 2 || memcmp(name->bytes, "GET", 3) != 0) return UV_EPROTO;
  size_t count = 0;
  const char *value = resp_store_get(&redis->store, key->bytes, key->count, &count);
  if (value != NULL) {
    redis->answered += bench_resp_answer(answer, value, count);
  } else {
    memcpy(answer, "$-1\r\n", 5);
    redis->answered += 5;
  }
  return 0;
}

/// Executes the commands that are complete. What is left stays with the connection. Zero, or a negative error.
static int take(struct connection *connection, struct redis *redis, const char *bytes, size_t count) {
  struct command command;
  while (count > 0) {
    const char *from = bytes;
    size_t before = connection->received, part = count;
    if (before > 0) {
      // The command came in pieces.
      if (part > HEAD - before) part = HEAD - before;
      memcpy(connection->head + before, bytes, part);
      from = connection->head;
    }
    long taken = take_command(from, before + part, &command);
    if (taken < 0) return UV_EPROTO;
    if (taken == INCOMPLETE) {
      if (before + part >= HEAD) return UV_EPROTO;
      if (connection_head(connection, HEAD) == NULL) return UV_ENOMEM;
      if (before == 0) memcpy(connection->head, bytes, part);
      connection->received = before + part;
      return 0;
    }
    int error = execute(redis, &command);
    if (error < 0) return error;
    connection->received = 0;
    bytes += (size_t)taken - before;
    count -= (size_t)taken - before;
  }
  return 0;
}

static void on_bytes(struct connection *connection, char *bytes, size_t count) {
  struct redis *redis = connection->server->service.state;
  redis->answered = 0;
  int error = take(connection, redis, bytes, count);
  if (error < 0) {
    connection_close(connection, error, "resp-get-set");
  } else if (redis->answered > 0) {
    connection_answer(connection, redis->answers, redis->answered);
  }
}

static int run(const struct cb_params *params, struct cb_result *result) {
  struct redis *redis = calloc(1, sizeof *redis);
  if (redis == NULL) return cb_fail(result, UV_ENOMEM, "resp-get-set");
  int error = tcp_server_run(params, result, (struct tcp_service){.state = redis, .on_bytes = on_bytes});
  resp_store_end(&redis->store);
  free(redis);
  return error;
}

CB_ROW("resp-get-set", run)
