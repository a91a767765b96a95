// The keys of tickets, which servers share and change while they run.
#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// A key in the order in which other programs keep it in 80 bytes.
struct ctls_ticket_key {
  unsigned char name[16], mac[32], cipher[32];
};

enum { CTLS_TICKET_KEY_SIZE = sizeof(struct ctls_ticket_key), CTLS_TICKET_KEYS = 8 };

/// The first key encrypts, and all of them decrypt.
struct ctls_ticket_keys {
  pthread_mutex_t lock;
  unsigned count;
  struct ctls_ticket_key keys[CTLS_TICKET_KEYS];
};

static inline struct ctls_ticket_keys *ctls_ticket_keys_new(void) {
  struct ctls_ticket_keys *keys = (struct ctls_ticket_keys *)calloc(1, sizeof *keys);
  if (keys) pthread_mutex_init(&keys->lock, NULL);
  return keys;
}

static inline void ctls_ticket_keys_free(struct ctls_ticket_keys *keys) {
  OPENSSL_cleanse(keys->keys, sizeof keys->keys);
  pthread_mutex_destroy(&keys->lock);
  free(keys);
}

/// Puts a key before the others, and drops what is more than `kept` then.
static inline void ctls_ticket_keys_add(struct ctls_ticket_keys *keys, const void *bytes, unsigned kept) {
  pthread_mutex_lock(&keys->lock);
  memmove(keys->keys + 1, keys->keys, sizeof keys->keys - sizeof keys->keys[0]);
  memcpy(keys->keys, bytes, CTLS_TICKET_KEY_SIZE);
  keys->count = keys->count + 1 < kept ? keys->count + 1 : kept;
  OPENSSL_cleanse(keys->keys + keys->count, sizeof keys->keys - keys->count * sizeof keys->keys[0]);
  pthread_mutex_unlock(&keys->lock);
}

/// Puts a key at random before the others. Returns false if there is no randomness.
static inline bool ctls_ticket_keys_rotate(struct ctls_ticket_keys *keys, unsigned kept) {
  struct ctls_ticket_key key;
  if (RAND_priv_bytes((unsigned char *)&key, sizeof key) != 1) return false;
  ctls_ticket_keys_add(keys, &key, kept);
  OPENSSL_cleanse(&key, sizeof key);
  return true;
}

/// Sets up the encryption or the decryption of a ticket, as `SSL_CTX_set_tlsext_ticket_key_evp_cb` has it.
static inline int ctls_use_ticket_key(
    struct ctls_ticket_keys *keys, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
    int encrypts) {
  struct ctls_ticket_key key;
  int found = 0;
  pthread_mutex_lock(&keys->lock);
  for (unsigned i = 0; i < keys->count && !found; i++) {
    if (!encrypts && memcmp(name, keys->keys[i].name, sizeof key.name) != 0) continue;
    key = keys->keys[i];
    // A ticket with an older key is good, but the client should get another.
    found = i == 0 ? 1 : 2;
  }
  pthread_mutex_unlock(&keys->lock);
  if (!found) return 0;
  OSSL_PARAM digest[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
  bool is_set = true;
  if (encrypts) {
    memcpy(name, key.name, sizeof key.name);
    is_set = RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1;
  }
  is_set = is_set && EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key.cipher, iv, encrypts) == 1 &&
           EVP_MAC_init(mac, key.mac, sizeof key.mac, digest) == 1;
  OPENSSL_cleanse(&key, sizeof key);
  return is_set ? found : -1;
}
