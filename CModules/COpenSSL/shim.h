// The parts of OpenSSL that Swift can't import: macros, stacks, and the transport. There is only a header.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "UVTLS needs OpenSSL 3 (Debian and Ubuntu: libssl-dev; macOS: brew install openssl@3)"
#endif

// MARK: The transport

/// The bytes between OpenSSL and a stream. One thread at a time uses it.
struct ctls_wire {
  /// The peer's bytes that OpenSSL hasn't read yet: in `kept`, or in memory of the caller's.
  const unsigned char *in;
  size_t in_count;
  unsigned char *kept;
  /// What OpenSSL has for the peer.
  unsigned char *out;
  size_t out_count, out_capacity;
};

/// Takes bytes from the peer, which stay where they are until `ctls_wire_keep`. Returns false if there is no
/// memory.
static inline bool ctls_wire_receive(struct ctls_wire *wire, const void *bytes, size_t count) {
  if (wire->in_count == 0) {
    wire->in = (const unsigned char *)bytes;
    wire->in_count = count;
    return true;
  }
  unsigned char *all = (unsigned char *)malloc(wire->in_count + count);
  if (!all) return false;
  memcpy(all, wire->in, wire->in_count);
  memcpy(all + wire->in_count, bytes, count);
  free(wire->kept);
  wire->in = wire->kept = all;
  wire->in_count += count;
  return true;
}

/// Copies what OpenSSL hasn't read, because the caller's memory will be used again. Returns false if there is
/// no memory.
static inline bool ctls_wire_keep(struct ctls_wire *wire) {
  unsigned char *rest = NULL;
  if (wire->in_count == 0 && !wire->kept) return true;
  if (wire->in_count > 0) {
    rest = (unsigned char *)malloc(wire->in_count);
    if (!rest) return false;
    memcpy(rest, wire->in, wire->in_count);
  }
  free(wire->kept);
  wire->in = wire->kept = rest;
  return true;
}

/// Forgets what OpenSSL had for the peer. A small buffer stays for the next time.
static inline void ctls_wire_sent(struct ctls_wire *wire) {
  wire->out_count = 0;
  if (wire->out_capacity <= 1024) return;
  free(wire->out);
  wire->out = NULL;
  wire->out_capacity = 0;
}

static inline void ctls_wire_free(struct ctls_wire *wire) {
  free(wire->kept);
  free(wire->out);
}

static int ctls_bio_read(BIO *bio, char *buffer, size_t capacity, size_t *count) {
  struct ctls_wire *wire = (struct ctls_wire *)BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (wire->in_count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *count = wire->in_count < capacity ? wire->in_count : capacity;
  memcpy(buffer, wire->in, *count);
  wire->in += *count;
  wire->in_count -= *count;
  return 1;
}

static int ctls_bio_write(BIO *bio, const char *bytes, size_t count, size_t *written) {
  struct ctls_wire *wire = (struct ctls_wire *)BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (wire->out_capacity - wire->out_count < count) {
    size_t capacity = wire->out_count + count;
    // Room for the records that follow, if there is more than one.
    if (wire->out_count > 0) capacity *= 2;
    unsigned char *out = (unsigned char *)realloc(wire->out, capacity);
    if (!out) return 0;
    wire->out = out;
    wire->out_capacity = capacity;
  }
  memcpy(wire->out + wire->out_count, bytes, count);
  wire->out_count += count;
  *written = count;
  return 1;
}

static long ctls_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

/// The functions of a transport; made once, and never freed.
static inline BIO_METHOD *ctls_bio_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "swift-uv");
  if (!method) return NULL;
  BIO_meth_set_read_ex(method, ctls_bio_read);
  BIO_meth_set_write_ex(method, ctls_bio_write);
  BIO_meth_set_ctrl(method, ctls_bio_control);
  return method;
}

/// Connects OpenSSL with a transport, which must outlive it. Returns false if there is no memory.
static inline bool ctls_set_wire(SSL *ssl, const BIO_METHOD *method, struct ctls_wire *wire) {
  BIO *bio = BIO_new(method);
  if (!bio) return false;
  BIO_set_data(bio, wire);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  return true;
}

// MARK: ALPN

/// The protocols of a server, as they stand in the message: each with its length before it.
struct ctls_protocols {
  unsigned count;
  unsigned char bytes[];
};

static inline struct ctls_protocols *ctls_protocols_new(const void *bytes, unsigned count) {
  struct ctls_protocols *protocols = (struct ctls_protocols *)malloc(sizeof *protocols + count);
  if (!protocols) return NULL;
  protocols->count = count;
  memcpy(protocols->bytes, bytes, count);
  return protocols;
}

/// The server's order decides. Without a protocol in common the handshake fails.
static int ctls_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *chosen_count, const unsigned char *offered,
    unsigned offered_count, void *context) {
  (void)ssl;
  const struct ctls_protocols *protocols = (const struct ctls_protocols *)context;
  int result = SSL_select_next_proto(
      (unsigned char **)chosen, chosen_count, protocols->bytes, protocols->count, offered, offered_count);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void ctls_set_server_protocols(SSL_CTX *context, struct ctls_protocols *protocols) {
  SSL_CTX_set_alpn_select_cb(context, ctls_choose_protocol, protocols);
}

// MARK: The client's first message

/// The host that a client names, in the callback for its first message; null if it names none, or none that
/// can be. OpenSSL refuses a message that is wrong by itself, later.
static inline const unsigned char *ctls_hello_name(SSL *ssl, size_t *count) {
  const unsigned char *bytes;
  size_t all;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &all) != 1) return NULL;
  // The length of a list, then a kind, a length and a name, which is the list's only entry.
  if (all < 5 || bytes[2] != TLSEXT_NAMETYPE_host_name) return NULL;
  *count = (size_t)bytes[3] << 8 | bytes[4];
  if (*count != all - 5 || *count == 0 || memchr(bytes + 5, 0, *count)) return NULL;
  return bytes + 5;
}

static inline uintptr_t ctls_thread(void) { return (uintptr_t)pthread_self(); }

// MARK: Macros

static inline bool ctls_set_versions(SSL_CTX *context, int least, int most) {
  return SSL_CTX_set_min_proto_version(context, least) == 1 && SSL_CTX_set_max_proto_version(context, most) == 1;
}
static inline void ctls_set_usual_options(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(
      context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}
static inline void ctls_cache_client_sessions(SSL_CTX *context, int (*done)(SSL *, SSL_SESSION *)) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, done);
}
static inline void ctls_set_owner(SSL *ssl, void *owner) { SSL_set_app_data(ssl, owner); }
static inline void *ctls_owner(const SSL *ssl) { return SSL_get_app_data(ssl); }
static inline void ctls_set_context_owner(SSL_CTX *context, void *owner) { SSL_CTX_set_app_data(context, owner); }
static inline void *ctls_context_owner(const SSL *ssl) { return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)); }
static inline bool ctls_set_server_name(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name) == 1; }
static inline int ctls_error_library(unsigned long error) { return ERR_GET_LIB(error); }
static inline int ctls_error_reason(unsigned long error) { return ERR_GET_REASON(error); }
static inline bool ctls_is_system_error(unsigned long error) { return ERR_SYSTEM_ERROR(error); }

// MARK: Certificates

static inline STACK_OF(X509) * ctls_chain_new(void) { return sk_X509_new_null(); }
static inline bool ctls_chain_append(STACK_OF(X509) * chain, X509 *certificate) {
  return sk_X509_push(chain, certificate) > 0;
}
static inline int ctls_chain_count(const STACK_OF(X509) * chain) { return chain ? sk_X509_num(chain) : 0; }
static inline X509 *ctls_chain_get(const STACK_OF(X509) * chain, int index) { return sk_X509_value(chain, index); }
/// Releases the certificates and their list.
static inline void ctls_chain_free(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }
static inline BIO *ctls_bytes(const void *bytes, int count) { return BIO_new_mem_buf(bytes, count); }
