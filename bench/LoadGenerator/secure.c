// TLS for the load generator: OpenSSL on the socket itself. Nothing is verified, and nothing is left to choose: the
// same cipher and the same curve for each server of the benchmark.

#ifdef __linux__
#include "session.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <stdlib.h>
#include <sys/resource.h>

struct secure {
  SSL_CTX *context;
  /// By descriptor.
  SSL **links;
  size_t capacity;
  /// What the next handshake resumes.
  SSL_SESSION *ticket;
  uint64_t resumed;
};

static int keep_ticket(SSL *link, SSL_SESSION *ticket) {
  struct secure *secure = SSL_CTX_get_app_data(SSL_get_SSL_CTX(link));
  SSL_SESSION_free(secure->ticket);
  // A copy: a connection that ends badly makes its own session unfit for the next.
  secure->ticket = SSL_SESSION_dup(ticket);
  return 0;
}

/// Servers of this benchmark don't choose for themselves.
static int leave_no_choice(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) &&
         SSL_CTX_set_ciphersuites(context, "TLS_AES_256_GCM_SHA384") && SSL_CTX_set1_groups_list(context, "X25519");
}

int secure_begin(struct session *session) {
  struct rlimit limit;
  struct secure *secure = session->secure = calloc(1, sizeof *secure);
  if (secure == NULL || getrlimit(RLIMIT_NOFILE, &limit) != 0) return session_fail(session, "out of memory", 0);
  secure->capacity = limit.rlim_cur < 1 << 20 ? (size_t)limit.rlim_cur : 1 << 20;
  secure->links = calloc(secure->capacity, sizeof *secure->links);
  secure->context = SSL_CTX_new(TLS_client_method());
  if (secure->links == NULL || secure->context == NULL || (!session->is_foreign && !leave_no_choice(secure->context))) {
    return session_fail(session, "OpenSSL cannot be set up", 0);
  }
  SSL_CTX_set_app_data(secure->context, secure);
  if (session->resumes) {
    SSL_CTX_set_session_cache_mode(secure->context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(secure->context, keep_ticket);
  }
  return 0;
}

void secure_end(struct session *session) {
  struct secure *secure = session->secure;
  session->secure = NULL;
  if (secure == NULL) return;
  SSL_SESSION_free(secure->ticket);
  SSL_CTX_free(secure->context);
  free(secure->links);
  free(secure);
}

int secure_connect(struct session *session, int fd) {
  struct secure *secure = session->secure;
  SSL *link = (size_t)fd < secure->capacity ? SSL_new(secure->context) : NULL;
  if (link == NULL || !SSL_set_fd(link, fd)) return session_fail(session, "OpenSSL has no memory", 0);
  SSL_set_connect_state(link);
  if (session->is_foreign) SSL_set_tlsext_host_name(link, session->name);
  if (secure->ticket != NULL) {
    SSL_SESSION *ticket = SSL_SESSION_dup(secure->ticket);
    if (ticket == NULL || !SSL_set_session(link, ticket)) return session_fail(session, "OpenSSL has no memory", 0);
    SSL_SESSION_free(ticket);
  }
  secure->links[fd] = link;
  return 0;
}

/// What a call of OpenSSL's that did not succeed means: -1 when nothing is there yet, 0 at the end of the stream.
static ssize_t outcome(struct session *session, SSL *link, int result) {
  switch (SSL_get_error(link, result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE: return -1;
  case SSL_ERROR_ZERO_RETURN: return 0;
  default: break;
  }
  const char *reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  session_fail(session, reason == NULL ? "the server cut a TLS connection" : reason, 0);
  return -2;
}

int secure_handshake(struct session *session, int fd) {
  SSL *link = ((struct secure *)session->secure)->links[fd];
  int result = SSL_do_handshake(link);
  return result == 1 ? 1 : outcome(session, link, result) == -1 ? 0 : -1;
}

ssize_t secure_read(struct session *session, int fd, void *bytes, size_t count) {
  SSL *link = ((struct secure *)session->secure)->links[fd];
  int got = SSL_read(link, bytes, (int)count);
  return got > 0 ? got : outcome(session, link, got);
}

ssize_t secure_write(struct session *session, int fd, const void *bytes, size_t count) {
  SSL *link = ((struct secure *)session->secure)->links[fd];
  int sent = SSL_write(link, bytes, (int)count);
  if (sent > 0) return sent;
  ssize_t result = outcome(session, link, sent);
  return result == -1 ? 0 : -2;
}

void secure_close(struct session *session, int fd) {
  struct secure *secure = session->secure;
  SSL *link = secure->links[fd];
  secure->links[fd] = NULL;
  if (link == NULL) return;
  secure->resumed += (uint64_t)SSL_session_reused(link);
  // Without it the ticket could not be used again.
  if (SSL_is_init_finished(link)) SSL_shutdown(link);
  ERR_clear_error();
  SSL_free(link);
}

uint64_t secure_resumed(struct session *session) {
  struct secure *secure = session->secure;
  uint64_t resumed = secure->resumed;
  secure->resumed = 0;
  return resumed;
}
#endif
