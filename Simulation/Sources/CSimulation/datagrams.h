/// Datagrams on their way, and those that wait to be read.
#pragma once

#include "network.h"

struct datagram {
  struct event event;
  struct datagram *next, *next_of_all, *previous_of_all;
  union address from, to;
  struct sim_host *source, *target;
  size_t size;
  uint64_t sent;
  /// Whether it is for many, and whether by the interface of loopback.
  bool is_for_many, is_local;
  char bytes[];
};

struct datagram *datagram_make(const struct datagram *like, size_t size);
void datagram_free(struct datagram *datagram);
/// Something goes from one host to another, or is lost, or doubled on the way.
void datagram_send(struct datagram *datagram);
/// It has come to the host that it is for.
void datagram_arrive(struct event *event);
/// It waits to be read.
void datagram_put(struct socket *socket, struct datagram *datagram);
