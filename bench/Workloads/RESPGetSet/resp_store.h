#pragma once

#include <stddef.h>
#include <stdint.h>

struct resp_entry {
  uint64_t hash;
  uint32_t key_count, value_count, value_capacity;
  char *key, *value;
};

/// Keys and values: a table with open addressing, which grows. All zero is an empty one.
struct resp_store {
  struct resp_entry *entries;
  size_t count, capacity;
};

/// The value of a key; null if there is none.
const char *resp_store_get(const struct resp_store *store, const char *key, size_t count, size_t *value_count);

/// Keeps a copy of a value. Zero, or -1 without memory.
int resp_store_set(struct resp_store *store, const char *key, size_t count, const char *value, size_t value_count);

void resp_store_end(struct resp_store *store);
