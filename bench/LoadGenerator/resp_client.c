#ifdef __linux__
#include "resp_client.h"

#include <stdlib.h>
#include <string.h>

static int make_room(struct resp_client *client, struct session *session) {
  if (client->answers != NULL) return 1;
  size_t room = ((size_t)session->size + BENCH_RESP_FRAME) * session->pipelined;
  client->requests = malloc(room);
  client->answers = client->requests == NULL ? NULL : malloc(room);
  return client->answers != NULL;
}

size_t resp_client_ask(
    struct resp_client *client, struct session *session, uint64_t connection, const char *payload, uint64_t index,
    uint32_t count, uint32_t sets) {
  if (!make_room(client, session)) return 0;
  size_t asked = 0, end = 0;
  for (uint32_t i = 0; i < count; i++) {
    int is_set = client->known == 0 || bench_resp_is_set(index + i, sets);
    // A key that was never set may hold something of an earlier run.
    if (is_set && client->known < BENCH_RESP_KEYS) client->next = client->known++;
    uint32_t place = client->next++ % client->known;
    uint64_t key = connection * BENCH_RESP_KEYS + place;
    uint64_t version = client->versions[place] += (uint32_t)is_set;
    const char *value = payload + bench_mix(session->seed ^ key << 32 ^ version) % SESSION_SPARE;
    asked += bench_resp_request(client->requests + asked, key, is_set ? value : NULL, session->size);
    end += bench_resp_answer(client->answers + end, is_set ? NULL : value, session->size);
    client->ends[i] = end;
  }
  client->count = count;
  client->answered = 0;
  client->received = 0;
  return asked;
}

int resp_client_take(struct resp_client *client, struct session *session, const char *bytes, size_t count) {
  size_t end = client->received + count;
  if (client->answered == client->count || end > client->ends[client->count - 1]) {
    return session_fail(session, "an answer came that was not asked for", 0);
  }
  if (memcmp(bytes, client->answers + client->received, count) != 0) {
    return session_fail(session, "an answer isn't what it must be", 0);
  }
  client->received = end;
  int answered = 0;
  for (; client->answered < client->count && client->ends[client->answered] <= end; client->answered++) answered++;
  return answered;
}

void resp_client_end(struct resp_client *client) {
  free(client->requests);
  free(client->answers);
}
#endif
