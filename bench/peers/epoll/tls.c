// OpenSSL on the socket itself and epoll, by the contract in ../README.md: epoll-tls WORKLOAD [key=value ...]

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 131072, EVENTS = 256 };

struct connection {
  int fd;
  SSL *ssl;
  /// What the system did not take at once.
  char *rest;
  int rest_count;
  long received;
};

static SSL_CTX *context;
static int epoll;
/// tls-handshake: how many bytes a connection has; 0 for an echo.
static long visit;
static char buffer[BUFFER];

static void end(struct connection *connection) {
  if (SSL_is_init_finished(connection->ssl)) SSL_shutdown(connection->ssl);
  ERR_clear_error();
  SSL_free(connection->ssl);
  close(connection->fd);
  free(connection->rest);
  free(connection);
}

static void accept_one(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct connection *connection = calloc(1, sizeof *connection);
  connection->fd = fd;
  connection->ssl = SSL_new(context);
  SSL_set_fd(connection->ssl, fd);
  SSL_set_accept_state(connection->ssl);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void watch(struct connection *connection, unsigned events) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  epoll_ctl(epoll, EPOLL_CTL_MOD, connection->fd, &event);
}

/// Zero once the connection has ended.
static int echo(struct connection *connection, char *bytes, int count) {
  int sent = SSL_write(connection->ssl, bytes, count);
  if (sent <= 0) {
    if (SSL_get_error(connection->ssl, sent) != SSL_ERROR_WANT_WRITE) {
      end(connection);
      return 0;
    }
    if (bytes == buffer) {
      connection->rest = memcpy(malloc((size_t)count), bytes, (size_t)count);
      connection->rest_count = count;
      watch(connection, EPOLLOUT);
    }
    return 1;
  }
  if (connection->rest != NULL) {
    free(connection->rest);
    connection->rest = NULL;
    watch(connection, EPOLLIN);
  }
  connection->received += count;
  if (connection->received != visit) return 1;
  end(connection);
  return 0;
}

static void proceed(struct connection *connection) {
  if (connection->rest != NULL && !echo(connection, connection->rest, connection->rest_count)) return;
  while (connection->rest == NULL) {
    int got = SSL_read(connection->ssl, buffer, BUFFER);
    if (got > 0) {
      if (!echo(connection, buffer, got)) return;
      // Nothing more is there, as a rule, and asking costs a system call.
      if (SSL_has_pending(connection->ssl)) continue;
      return;
    }
    if (SSL_get_error(connection->ssl, got) != SSL_ERROR_WANT_READ) end(connection);
    return;
  }
}

static const char *option(int argc, char **argv, const char *name) {
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], name, strlen(name)) == 0) return argv[i] + strlen(name);
  }
  return "";
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  const char *identity = option(argc, argv, "identity=");
  if (argc > 1 && strcmp(argv[1], "tls-handshake") == 0) visit = atol(option(argc, argv, "size="));
  context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_id_context(context, (const unsigned char *)"peer", 4);
  if (SSL_CTX_use_certificate_chain_file(context, identity) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, identity, SSL_FILETYPE_PEM) != 1) {
    return 1;
  }
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listener};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  event.data.ptr = NULL;
  epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
  struct epoll_event events[EVENTS];
  while (1) {
    int count = epoll_wait(epoll, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == NULL) return 0;
      if (events[i].data.ptr == &listener) {
        accept_one(listener);
      } else {
        proceed(events[i].data.ptr);
      }
    }
  }
}
