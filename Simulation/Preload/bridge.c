// Joins the connections of two hosts that are two processes. In each process the other host is a stand-in, which listens where that
// one does, and has a socket for each connection; what these read is sent to the other process, whose stand-in writes it.
//
// The way to the stand-in takes the time of the network in the client's process, and none in the server's.

#include "pair.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 65536, PORTION = 16384 };

/// A listener of this process's host, which the other process has a copy of, or a copy of one of the other's.
struct listener {
  struct listener *next;
  uint64_t id;
  /// Null for one of this process's host.
  struct socket *copy;
  bool is_there;
};

/// What is said of a listener, and of a connection.
struct place {
  union address local, remote;
  int family;
  bool only_six;
};

/// A connection between the two hosts, which has a socket in each process.
struct joint {
  struct joint *next;
  uint64_t id;
  struct socket *socket;
  /// What has come and isn't written yet.
  struct buffer waiting;
  /// How many bytes the other process has room for.
  size_t room;
  bool has_sent_end, has_got_end, has_shut;
};

static struct sim_host *own_host, *other_host;
static uint64_t reset_chance, joint_count;
static struct listener *listeners;
static struct joint *joints;

void bridge_begin(struct sim_host *own, struct sim_host *other, uint64_t chance) {
  own_host = own;
  other_host = other;
  reset_chance = chance;
  if (pair_rank == 1) return;
  sim_link_delay(own, other, 0, 0);
  sim_link_delay(other, own, 0, 0);
}

// MARK: Listeners

static bool tell_listeners(void) {
  bool has_told = false;
  for (struct listener *known = listeners; known; known = known->next) known->is_there = known->copy != NULL;
  for (struct socket *socket = own_host->sockets; socket; socket = socket->next_of_host) {
    if (socket->state != SOCKET_LISTENING || socket->family == AF_UNIX) continue;
    struct listener *known = listeners;
    while (known && (known->copy || known->id != socket->file.number)) known = known->next;
    if (!known) {
      known = calloc(1, sizeof *known);
      *known = (struct listener){.next = listeners, .id = socket->file.number};
      listeners = known;
      struct place place = {.local = socket->local, .family = socket->family, .only_six = socket->only_six};
      pair_send(MESSAGE_LISTEN, known->id, &place, sizeof place);
      has_told = true;
    }
    known->is_there = true;
  }
  for (struct listener **next = &listeners; *next;) {
    struct listener *known = *next;
    if (known->is_there) {
      next = &known->next;
      continue;
    }
    pair_send(MESSAGE_UNLISTEN, known->id, NULL, 0);
    *next = known->next;
    free(known);
    has_told = true;
  }
  return has_told;
}

static void copy_listener(uint64_t id, const struct place *place) {
  struct socket *copy = socket_make(other_host, place->family, SOCK_STREAM, O_NONBLOCK);
  copy->is_bound = true;
  copy->local = place->local;
  copy->only_six = place->only_six;
  copy->state = SOCKET_LISTENING;
  // How many may wait is for the listener itself to say.
  copy->backlog = 4096;
  struct listener *listener = calloc(1, sizeof *listener);
  *listener = (struct listener){.next = listeners, .id = id, .copy = copy};
  listeners = listener;
}

static void drop_copy(uint64_t id) {
  for (struct listener **next = &listeners; *next; next = &(*next)->next) {
    struct listener *listener = *next;
    if (!listener->copy || listener->id != id) continue;
    *next = listener->next;
    file_release(&listener->copy->file);
    free(listener);
    return;
  }
}

// MARK: Connections

static void join(uint64_t id, struct socket *socket) {
  struct joint *joint = calloc(1, sizeof *joint);
  *joint = (struct joint){.next = joints, .id = id, .socket = socket, .room = WINDOW};
  joints = joint;
}

/// Ends it here. The order of the others stays.
static void part(struct joint *joint, bool resets) {
  struct joint **place = &joints;
  while (*place != joint) place = &(*place)->next;
  *place = joint->next;
  if (resets) joint->socket->resets_on_close = true;
  file_release(&joint->socket->file);
  buffer_free(&joint->waiting);
  free(joint);
}

static void reset(struct joint *joint) {
  pair_send(MESSAGE_RESET, joint->id, NULL, 0);
  part(joint, true);
}

static bool accept_all(void) {
  bool has_accepted = false;
  for (struct listener *listener = listeners; listener; listener = listener->next) {
    struct socket *socket;
    while (listener->copy && (socket = tcp_accept(listener->copy))) {
      uint64_t id = 2 * ++joint_count + (uint64_t)pair_rank;
      struct place place = {.local = socket->local, .remote = socket->remote, .family = socket->family};
      join(id, socket);
      pair_send(MESSAGE_CONNECT, id, &place, sizeof place);
      has_accepted = true;
    }
  }
  return has_accepted;
}

static void connect_here(uint64_t id, const struct place *place) {
  struct socket *socket = socket_make(other_host, place->family, SOCK_STREAM, O_NONBLOCK);
  socket->is_bound = true;
  socket->local = place->remote;
  join(id, socket);
  tcp_connect(socket, &place->local);
}

// MARK: Bytes

enum outcome { NOTHING, MOVED, GONE };

static enum outcome send_on(struct joint *joint) {
  enum outcome outcome = NOTHING;
  while (!joint->has_sent_end && joint->room > 0) {
    char bytes[PORTION];
    struct iovec part = {bytes, joint->room < PORTION ? joint->room : PORTION};
    ssize_t count = tcp_kind.read(&joint->socket->file, &part, 1);
    if (count == -EAGAIN) break;
    if (count < 0 || (count > 0 && fault_is_due(DRAW_NETWORK, reset_chance))) return GONE;
    outcome = MOVED;
    joint->has_sent_end = count == 0;
    joint->room -= (size_t)count;
    pair_send(count ? MESSAGE_DATA : MESSAGE_END, joint->id, bytes, (size_t)count);
  }
  return outcome;
}

static enum outcome write_on(struct joint *joint) {
  enum outcome outcome = NOTHING;
  while (joint->waiting.count) {
    struct iovec part = {joint->waiting.bytes + joint->waiting.start, joint->waiting.count};
    ssize_t count = tcp_kind.write(&joint->socket->file, &part, 1);
    if (count == -EAGAIN) return outcome;
    if (count < 0) return GONE;
    outcome = MOVED;
    buffer_drop(&joint->waiting, (size_t)count);
    uint64_t size = (uint64_t)count;
    pair_send(MESSAGE_CREDIT, joint->id, &size, sizeof size);
  }
  if (joint->has_got_end && !joint->has_shut) {
    joint->has_shut = true;
    outcome = MOVED;
    tcp_shutdown(joint->socket, SHUT_WR);
  }
  return outcome;
}

static bool move_all(void) {
  bool has_moved = false;
  for (struct joint *joint = joints, *next; joint; joint = next) {
    next = joint->next;
    if (joint->socket->state == SOCKET_CONNECTING) continue;
    enum outcome sent = send_on(joint), written = sent == GONE ? GONE : write_on(joint);
    has_moved |= sent != NOTHING || written != NOTHING;
    if (sent == GONE || written == GONE) reset(joint);
    else if (joint->has_sent_end && joint->has_shut) part(joint, false);
    // A reset that comes while the other process has no room for more.
    else if (joint->socket->state == SOCKET_DEAD && !incoming(joint->socket)->received.count) reset(joint);
  }
  return has_moved;
}

bool bridge_pump(void) {
  bool has_told = tell_listeners(), has_accepted = accept_all(), has_moved = move_all();
  return has_told || has_accepted || has_moved;
}

void bridge_take(const struct message *message, const char *bytes) {
  struct place place;
  if (message->size == sizeof place) memcpy(&place, bytes, sizeof place);
  switch (message->kind) {
    case MESSAGE_EXIT: peer_has_exited(); return;
    case MESSAGE_LISTEN: copy_listener(message->id, &place); return;
    case MESSAGE_UNLISTEN: drop_copy(message->id); return;
    case MESSAGE_CONNECT: connect_here(message->id, &place); return;
  }
  struct joint *joint = joints;
  while (joint && joint->id != message->id) joint = joint->next;
  // It may have ended here meanwhile.
  if (!joint) return;
  struct iovec all = {(void *)bytes, message->size};
  uint64_t size = 0;
  switch (message->kind) {
    case MESSAGE_DATA: buffer_put(&joint->waiting, &all, 1, 0, message->size); return;
    case MESSAGE_CREDIT:
      memcpy(&size, bytes, sizeof size);
      joint->room += size;
      return;
    case MESSAGE_END: joint->has_got_end = true; return;
    case MESSAGE_RESET: part(joint, true); return;
  }
}
