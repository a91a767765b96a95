#pragma once

#include "requests.h"

#include "bench_support.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

enum {
  SESSION_PORTS = 64,
  SESSION_REQUEST = 1024,
  /// Bytes of payload beside those of a message: each message begins elsewhere.
  SESSION_SPARE = 65536
};

/// One run: what was asked, what came of it, and what the modes share.
struct session {
  int epoll;
  /// Whether the server is on a machine that was named.
  int is_elsewhere;
  /// The machine of the server: its name, and an address of IPv4 or IPv6 without a port.
  const char *name;
  struct sockaddr_storage host;
  socklen_t host_length;
  /// Where the server listens; connections go to its ports in turn.
  uint16_t ports[SESSION_PORTS];
  uint32_t port_count;
  uint32_t connected;
  /// The same for a socket of the Unix domain; empty without it.
  char path[108];
  /// Whether the server is not one of this benchmark's. It chooses among all that TLS offers, may answer a request by HTTP
  /// with anything that says yes, and may close a connection between two answers.
  int is_foreign;
  /// Whether messages are datagrams. One without bytes is the end of a connection.
  int is_udp;
  uint32_t connections;
  uint32_t size;
  uint64_t operations;
  uint64_t warmup;
  uint64_t seed;
  double rate;
  int poisson;
  int silent;
  /// TLS: whether handshakes resume the session of an earlier one.
  int resumes;
  /// Whether jobs are asked for: which answers came in time, which came late, and which came without work.
  int wants_jobs;
  uint64_t in_time, late, busy;
  /// HTTP, RESP: how many requests are under way on a connection; zero for an echo.
  uint32_t pipelined;
  /// RESP: whether it is spoken, and how many requests in a hundred set a key.
  int is_resp;
  uint32_t sets;
  /// Fan-out: how many of the connections read nothing for a while, and whether the next one to connect is one of them.
  uint32_t slow;
  int is_slow;
  /// HTTP: the request, and what each answer has to bring.
  char request[SESSION_REQUEST];
  uint32_t request_count;
  /// HTTP: several requests in its place, each of which is sent in turn; none without them.
  struct requests list;
  char *body;
  /// HTTP from a server that isn't the benchmark's: how many answers came, and the least and the most of their status,
  /// the length of their bodies, and the digest of these.
  struct {
    uint64_t count;
    struct {
      uint64_t low, high;
    } status, length, digest;
  } answers;
  /// Echo: whether connections have their turns, with one message under way in all.
  int in_turn;
  /// Echo: whether there is a connection that never stops asking.
  int wants_greedy;
  /// TLS: what `secure.c` knows of the connections; null without it.
  void *secure;
  /// Echo: the connection that never stops asking, and how many bytes it has sent; null without it.
  struct greedy *greedy;
  uint64_t greedy_bytes;

  uint64_t completed;
  uint64_t checksum;
  struct bench_latency *latencies;
  struct bench_latency *service;
  char error[200];
};

/// Notes the first error; returns -1. `code` is an `errno`, or zero.
int session_fail(struct session *session, const char *what, int code);

/// Forgets what was counted so far: called between the warm-up and the run.
void session_reset(struct session *session);

/// Says `ready` and waits for `go`. Zero, or -1 when the other side is gone.
int session_rendezvous(struct session *session);

/// Says `done` with the figures, and waits for `end`: only then may connections be closed. Zero, or -1 when the
/// other side is gone.
int session_report(struct session *session);

/// Finds the machine by its name or address. Zero, or -1 where there is none.
int session_find_host(struct session *session, const char *name);

/// A non-blocking socket that is connecting to the server, or -1.
int session_connect(struct session *session);

/// A connected non-blocking socket, or -1.
int session_connect_and_wait(struct session *session);

/// Reads once; -1 with nothing noted when nothing is there, -2 after an error, zero
/// at the end of the stream.
ssize_t session_read(struct session *session, int socket, void *bytes, size_t count);

/// Writes once; how many bytes were taken (maybe zero), or -2 after an error.
ssize_t session_write(struct session *session, int socket, const void *bytes, size_t count);

/// Closes without leaving a port in TIME_WAIT.
void session_close(struct session *session, int socket);

/// Closes in an orderly way: the server sees the end of the stream, not a reset.
void session_end(struct session *session, int socket);

// TLS. These are called by the functions above.
int secure_begin(struct session *session);
void secure_end(struct session *session);
/// Zero, or -1 after an error.
int secure_connect(struct session *session, int socket);
/// 1 when the handshake is done, zero when the server has to send more, -1 after an error.
int secure_handshake(struct session *session, int socket);
ssize_t secure_read(struct session *session, int socket, void *bytes, size_t count);
ssize_t secure_write(struct session *session, int socket, const void *bytes, size_t count);
void secure_close(struct session *session, int socket);
/// How many of the connections that were closed since the last call had resumed a session.
uint64_t secure_resumed(struct session *session);

// The connection that never stops asking. `greedy_run` begins with it or ends it; `greedy_step` is called with its events.
int greedy_begin(struct session *session);
int greedy_run(struct session *session, int runs);
int greedy_step(struct session *session, uint32_t events);
void greedy_end(struct session *session);

/// When the requests of an open loop are due. Its timer is the event without a pointer.
struct arrivals {
  struct session *session;
  int timer;
  /// When the next request is due.
  double due_ns;
  uint64_t random;
};

int arrivals_open(struct arrivals *arrivals, struct session *session);
void arrivals_begin(struct arrivals *arrivals, uint64_t start_ns);
/// Whether the next request is due. If it isn't, the timer says when it is.
int arrivals_is_due(struct arrivals *arrivals, uint64_t now_ns);
void arrivals_advance(struct arrivals *arrivals);
void arrivals_read(struct arrivals *arrivals);
void arrivals_close(struct arrivals *arrivals);

int run_echo(struct session *session);
int run_fan_out(struct session *session);
int run_jobs(struct session *session);
int run_accept(struct session *session);
int run_stream(struct session *session);
