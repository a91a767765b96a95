// Two processes take turns: one runs at a time, and virtual time goes on in the one that has something to do earlier.
//
// A process keeps the turn until its next event is later than the other's. What it sends meanwhile arrives at the moment at which
// it was sent, which the other one hasn't passed: its clock stands at a moment that was the earlier one.

#include "pair.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool has_peer;
int pair_rank;
static int channel, record_pipe;
static char names[2][64];
/// Before that moment the other one does nothing, unless something is sent to it.
static uint64_t peer_next;
static bool peer_is_over;
static struct buffer outgoing_bytes;

bool pair_find(void) {
  const char *text = getenv("UVSIM_PEER");
  if (!text) return false;
  if (sscanf(text, "%d,%d,%d,%63[^,],%63[^,]", &pair_rank, &channel, &record_pipe, names[0], names[1]) != 5 ||
      (pair_rank != 0 && pair_rank != 1)) {
    fprintf(stderr, "uvsim: UVSIM_PEER is set by the command that runs two hosts, and by nobody else\n");
    _exit(70);
  }
  return has_peer = true;
}

const char *pair_name(int rank) { return names[rank]; }

void pair_record(char what, int code) {
  struct { char rank, what; int code; } record = {(char)pair_rank, what, code};
  while (REAL(write)(record_pipe, &record, sizeof record) < 0 && errno == EINTR) {}
}

// MARK: Ends

static void end_with_peer(void) __attribute__((noreturn));
static void end_with_peer(void) {
  pair_record('g', 0);
  flush_streams();
  REAL(_exit)(70);
  __builtin_unreachable();
}

// MARK: Messages

static void put(const struct message *message, const void *bytes) {
  struct iovec parts[2] = {{(void *)message, sizeof *message}, {(void *)bytes, message->size}};
  buffer_put(&outgoing_bytes, parts, 2, 0, sizeof *message + message->size);
}

void pair_send(enum message_kind kind, uint64_t id, const void *bytes, size_t size) {
  struct message message = {.kind = kind, .size = (uint32_t)size, .id = id, .time = kernel.now};
  put(&message, bytes);
  // From now on the other one has something to do.
  if (peer_next > kernel.now) peer_next = kernel.now;
}

static void flush(void) {
  while (outgoing_bytes.count && !peer_is_over) {
    // A process that has ended is noticed by what is read.
    ssize_t count = REAL(send)(channel, outgoing_bytes.bytes + outgoing_bytes.start, outgoing_bytes.count, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) end_with_peer();
    buffer_drop(&outgoing_bytes, (size_t)count);
  }
}

static void read_all(void *bytes, size_t size) {
  for (char *place = bytes; size > 0;) {
    ssize_t count = REAL(read)(channel, place, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) end_with_peer();
    place += count;
    size -= (size_t)count;
  }
}

/// Those that have come and whose moment hasn't, in order. One event is for all of them: events of one moment have no order.
struct arrival {
  struct arrival *next;
  struct message message;
  char bytes[];
};
static struct arrival *first_arrival, *last_arrival;
static struct event due;

static void arrive(struct event *event);

static void wait_for_arrival(void) {
  uint64_t time = first_arrival->message.time;
  if (!due.place) event_add(&due, time > kernel.now ? time : kernel.now, arrive);
}

static void arrive(struct event *event) {
  (void)event;
  struct arrival *arrival = first_arrival;
  first_arrival = arrival->next;
  bridge_take(&arrival->message, arrival->bytes);
  free(arrival);
  if (first_arrival) wait_for_arrival();
}

// MARK: Turns

/// Reads until the other one has passed the turn.
static void take_turn(void) {
  for (;;) {
    struct message message;
    read_all(&message, sizeof message);
    switch (message.kind) {
      case MESSAGE_TURN: peer_next = message.time; return;
      case MESSAGE_OVER:
        peer_is_over = true;
        peer_next = NEVER;
        return;
      case MESSAGE_FAILED:
        print_waits();
        end_with_peer();
    }
    struct arrival *arrival = malloc(sizeof *arrival + message.size);
    *arrival = (struct arrival){.message = message};
    read_all(arrival->bytes, message.size);
    if (first_arrival) last_arrival->next = arrival;
    else first_arrival = arrival;
    last_arrival = arrival;
    wait_for_arrival();
  }
}

void pair_begin(void) {
  pair_record('b', 0);
  // The server begins.
  if (pair_rank == 1) take_turn();
}

static void pass_turn(uint64_t next) {
  struct message turn = {.kind = MESSAGE_TURN, .time = next};
  put(&turn, NULL);
  flush();
  take_turn();
}

void pair_leave(enum message_kind kind) {
  struct message message = {.kind = kind, .time = kernel.now};
  put(&message, NULL);
  flush();
}

bool pair_time_goes_on(uint64_t next) {
  if (bridge_pump()) return false;
  // Two that have nothing to do any more are stuck, and it is for the one that runs to say so.
  if (peer_is_over || next < peer_next || (next == peer_next && (pair_rank == 0 || next == NEVER))) return true;
  pass_turn(next);
  return false;
}
