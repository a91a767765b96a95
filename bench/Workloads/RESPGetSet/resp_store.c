#include "resp_store.h"

#include "bench_payload.h"

#include <stdlib.h>
#include <string.h>

/// Where the key is, or would be. There is always room.
static struct resp_entry *find(const struct resp_store *store, uint64_t hash, const char *key, size_t count) {
  for (size_t at = hash;; at++) {
    struct resp_entry *entry = &store->entries[at & (store->capacity - 1)];
    if (entry->key == NULL) return entry;
    if (entry->hash == hash && entry->key_count == count && memcmp(entry->key, key, count) == 0) return entry;
  }
}

static int grow(struct resp_store *store) {
  size_t capacity = store->capacity == 0 ? 64 : 2 * store->capacity;
  struct resp_store larger = {calloc(capacity, sizeof *larger.entries), store->count, capacity};
  if (larger.entries == NULL) return -1;
  for (size_t i = 0; i < store->capacity; i++) {
    struct resp_entry *entry = &store->entries[i];
    if (entry->key != NULL) *find(&larger, entry->hash, entry->key, entry->key_count) = *entry;
  }
  free(store->entries);
  *store = larger;
  return 0;
}

const char *resp_store_get(const struct resp_store *store, const char *key, size_t count, size_t *value_count) {
  if (store->capacity == 0) return NULL;
  struct resp_entry *entry = find(store, bench_hash(key, count), key, count);
  *value_count = entry->value_count;
  return entry->value;
}

int resp_store_set(struct resp_store *store, const char *key, size_t count, const char *value, size_t value_count) {
  if (store->count * 2 >= store->capacity && grow(store) < 0) return -1;
  uint64_t hash = bench_hash(key, count);
  struct resp_entry *entry = find(store, hash, key, count);
  if (entry->key == NULL || entry->value_capacity < value_count) {
    char *room = realloc(entry->value, value_count + 1);
    if (room == NULL) return -1;
    entry->value = room;
    entry->value_capacity = (uint32_t)value_count;
  }
  if (entry->key == NULL) {
    entry->key = malloc(count + 1);
    if (entry->key == NULL) return -1;
    memcpy(entry->key, key, count);
    entry->key_count = (uint32_t)count;
    entry->hash = hash;
    store->count++;
  }
  memcpy(entry->value, value, value_count);
  entry->value_count = (uint32_t)value_count;
  return 0;
}

void resp_store_end(struct resp_store *store) {
  for (size_t i = 0; i < store->capacity; i++) {
    free(store->entries[i].key);
    free(store->entries[i].value);
  }
  free(store->entries);
}
