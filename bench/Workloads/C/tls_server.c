// TLS for the servers: OpenSSL with a transport of our own. It reads where libuv has read to, and writes into one
// buffer of the whole loop, which is sent before the next connection has its turn.

#include "tcp_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <stdlib.h>
#include <string.h>

enum { OUT = 4 * READ_BUFFER };

struct tls_server {
  SSL_CTX *context;
  BIO_METHOD *method;
  const char *in;
  size_t in_count;
  size_t out_count;
  char out[OUT];
  char plaintext[2 * READ_BUFFER];
};

static int transport_read(BIO *bio, char *bytes, size_t capacity, size_t *count) {
  struct tls_server *tls = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (tls->in_count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *count = tls->in_count < capacity ? tls->in_count : capacity;
  memcpy(bytes, tls->in, *count);
  tls->in += *count;
  tls->in_count -= *count;
  return 1;
}

static int transport_write(BIO *bio, const char *bytes, size_t count, size_t *written) {
  struct tls_server *tls = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (count > OUT - tls->out_count) return 0;
  memcpy(tls->out + tls->out_count, bytes, count);
  tls->out_count += count;
  *written = count;
  return 1;
}

static long transport_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

struct tls_server *tls_server_create(const char *identity) {
  struct tls_server *tls = calloc(1, sizeof *tls);
  if (tls == NULL) return NULL;
  tls->context = SSL_CTX_new(TLS_server_method());
  tls->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "libuv");
  if (tls->context == NULL || tls->method == NULL ||
      SSL_CTX_use_certificate_chain_file(tls->context, identity) != 1 ||
      SSL_CTX_use_PrivateKey_file(tls->context, identity, SSL_FILETYPE_PEM) != 1) {
    tls_server_destroy(tls);
    return NULL;
  }
  BIO_meth_set_read_ex(tls->method, transport_read);
  BIO_meth_set_write_ex(tls->method, transport_write);
  BIO_meth_set_ctrl(tls->method, transport_control);
  // An idle connection keeps no buffers, as in every server that has many.
  SSL_CTX_set_mode(tls->context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(tls->context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_id_context(tls->context, (const unsigned char *)"bench", 5);
  return tls;
}

void tls_server_destroy(struct tls_server *tls) {
  SSL_CTX_free(tls->context);
  BIO_meth_free(tls->method);
  free(tls);
}

int tls_accept(struct connection *connection) {
  struct tls_server *tls = connection->server->tls;
  BIO *bio = BIO_new(tls->method);
  connection->ssl = bio == NULL ? NULL : SSL_new(tls->context);
  if (connection->ssl == NULL) {
    BIO_free(bio);
    return UV_ENOMEM;
  }
  BIO_set_data(bio, tls);
  BIO_set_init(bio, 1);
  SSL_set_bio(connection->ssl, bio, bio);
  SSL_set_accept_state(connection->ssl);
  return 0;
}

/// What OpenSSL has for the peer.
static uv_buf_t take_output(struct tls_server *tls) {
  uv_buf_t output = uv_buf_init(tls->out, (unsigned)tls->out_count);
  tls->out_count = 0;
  return output;
}

/// Handshakes and ends are small: the system takes them whole.
static int flush(struct connection *connection) {
  uv_buf_t output = take_output(connection->server->tls);
  if (output.len == 0) return 0;
  int wrote = uv_try_write((uv_stream_t *)&connection->handle, &output, 1);
  return wrote < 0 ? wrote : (size_t)wrote < output.len ? UV_EAGAIN : 0;
}

void tls_received(struct connection *connection, const char *bytes, size_t count) {
  struct tls_server *tls = connection->server->tls;
  tls->in = bytes;
  tls->in_count = count;
  int total = 0, got;
  while ((got = SSL_read(connection->ssl, tls->plaintext + total, (int)sizeof tls->plaintext - total)) > 0) {
    total += got;
  }
  int reason = SSL_get_error(connection->ssl, got);
  if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_ZERO_RETURN) {
    ERR_clear_error();
    connection_close(connection, UV_EPROTO, "SSL_read");
    return;
  }
  int error = flush(connection);
  if (error != 0) {
    connection_close(connection, error, "uv_try_write");
    return;
  }
  if (total > 0) {
    connection->server->result->bytes_read += (uint64_t)total;
    connection->server->service.on_bytes(connection, tls->plaintext, (size_t)total);
  }
  if (reason == SSL_ERROR_ZERO_RETURN) connection_close(connection, 0, "");
}

uv_buf_t tls_seal(struct connection *connection, const char *bytes, size_t count) {
  // All of it is written, because there is room.
  SSL_write(connection->ssl, bytes, (int)count);
  return take_output(connection->server->tls);
}

void tls_end(struct connection *connection) {
  if (connection->ssl == NULL) return;
  if (SSL_is_init_finished(connection->ssl) && SSL_shutdown(connection->ssl) >= 0) flush(connection);
  ERR_clear_error();
  SSL_free(connection->ssl);
  connection->ssl = NULL;
}
