#pragma once

#include "session.h"

/// What is under way on a connection of `resp-get-set`. Its keys are its own, so that it knows what each holds.
struct resp_client {
  /// The requests, the answers that must come, and where each of these ends.
  char *requests, *answers;
  size_t ends[BENCH_HTTP_PIPELINED];
  /// How many there are, how many of them are answered, and how many bytes of the answers have come.
  uint32_t count, answered;
  size_t received;
  /// How often a key was set, and where the next one is.
  uint32_t versions[BENCH_RESP_KEYS];
  uint32_t next, known;
};

/// Makes `count` requests, the first of them number `index` of all, of which `sets` in a hundred set a key. Values are taken from
/// `payload`. How many bytes the requests have; zero without memory.
size_t resp_client_ask(
    struct resp_client *client, struct session *session, uint64_t connection, const char *payload, uint64_t index,
    uint32_t count, uint32_t sets);

/// Takes what came. How many answers ended in it; -1 if it isn't what it must be.
int resp_client_take(struct resp_client *client, struct session *session, const char *bytes, size_t count);

void resp_client_end(struct resp_client *client);
