// A run of two hosts, each a process of its own with a simulated kernel of its own; see Design/0071-two-hosts.md.
//
//   preload.c  begins the world, and ends it
//   turns.c    has one of the two run at a time, and carries messages
//   bridge.c   joins the connections of the two
#pragma once

#include "network.h"

/// Whether this process is one of two.
extern bool has_peer;
/// 0 is the server, 1 the client.
extern int pair_rank;

enum message_kind {
  /// The sender waits, and has nothing to do before `time`.
  MESSAGE_TURN = 1,
  /// The sender's world is over; with a failure, or at the run's end.
  MESSAGE_FAILED, MESSAGE_OVER,
  /// The sender's program has ended.
  MESSAGE_EXIT,
  MESSAGE_LISTEN, MESSAGE_UNLISTEN,
  MESSAGE_CONNECT, MESSAGE_DATA, MESSAGE_CREDIT, MESSAGE_END, MESSAGE_RESET,
};

struct message {
  uint32_t kind, size;
  /// Of a listener or a connection.
  uint64_t id;
  /// The moment at which it was sent, which is the moment at which it arrives.
  uint64_t time;
};

// MARK: turns.c

/// Takes the other process's number and the way to it from the environment. Returns false if there is no such process.
bool pair_find(void);
const char *pair_name(int rank);
/// Waits until it is this process's turn for the first time.
void pair_begin(void);
void pair_send(enum message_kind kind, uint64_t id, const void *bytes, size_t size);
/// Sends what waits. The process takes no other turn.
void pair_leave(enum message_kind kind);
/// Says to the command how it went: `b` it has begun, `e` the program has exited with a code, `r` the program ran until the end.
void pair_record(char what, int code);
/// The kernel's hook: returns whether time goes on to `next`, or something may be due before.
bool pair_time_goes_on(uint64_t next);

// MARK: bridge.c

/// `own` is this process's host; `other` stands for the one of the other process.
void bridge_begin(struct sim_host *own, struct sim_host *other, uint64_t reset_chance);
/// Moves what can be moved at this moment; returns whether anything was.
bool bridge_pump(void);
void bridge_take(const struct message *message, const char *bytes);

// MARK: preload.c

void peer_has_exited(void);
/// Says on the standard error what this process's host waits for.
void print_waits(void);
/// Writes what libc's streams have kept back.
void flush_streams(void);
