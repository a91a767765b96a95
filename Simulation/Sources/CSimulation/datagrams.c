// How datagrams get from one host to another: some are lost, some come twice, and one may overtake another.

#include "datagrams.h"

#include <stdlib.h>
#include <string.h>

static struct datagram *all;

struct datagram *datagram_make(const struct datagram *like, size_t size) {
  struct datagram *datagram = calloc(1, sizeof *datagram + size);
  if (like) memcpy(datagram, like, sizeof *datagram + size);
  datagram->event = (struct event){0};
  datagram->next = datagram->previous_of_all = NULL;
  datagram->next_of_all = all;
  if (all) all->previous_of_all = datagram;
  all = datagram;
  return datagram;
}

void datagram_free(struct datagram *datagram) {
  event_remove(&datagram->event);
  if (datagram->previous_of_all) datagram->previous_of_all->next_of_all = datagram->next_of_all;
  else all = datagram->next_of_all;
  if (datagram->next_of_all) datagram->next_of_all->previous_of_all = datagram->previous_of_all;
  free(datagram);
}

void udp_free_all(void) {
  while (all) datagram_free(all);
}

static bool takes(const struct socket *socket, const struct datagram *datagram) {
  if (socket->type != SOCK_DGRAM || socket->family == AF_UNIX || !socket->is_bound) return false;
  if (address_port(&socket->local) != address_port(&datagram->to)) return false;
  if (!address_matches(&socket->local, &datagram->to, socket->only_six)) return false;
  if (!socket->remote.any.sa_family) return true;
  // A connected one takes its peer's alone.
  return address_port(&socket->remote) == address_port(&datagram->from) &&
         address_matches(&socket->remote, &datagram->from, false);
}

/// Each socket that has joined the group gets a copy.
static void arrive_at_many(struct datagram *datagram) {
  for (struct socket *socket = datagram->target->sockets; socket; socket = socket->next_of_host) {
    if (!takes(socket, datagram) || !multicast_takes(socket, &datagram->to, datagram->is_local, &datagram->from)) continue;
    if (socket->datagram_size + datagram->size > socket->receive_size) continue;
    trace_arrival(datagram->source, datagram->target, datagram->sent, datagram->size);
    datagram_put(socket, datagram_make(datagram, datagram->size));
  }
  datagram_free(datagram);
}

static void refuse(struct event *event) {
  struct datagram *datagram = (struct datagram *)event;
  for (struct socket *socket = datagram->source->sockets; socket; socket = socket->next_of_host) {
    if (socket->type != SOCK_DGRAM || socket->family == AF_UNIX || !socket->remote.any.sa_family) continue;
    if (address_port(&socket->local) != address_port(&datagram->from)) continue;
    socket->error = ECONNREFUSED;
    file_changed(&socket->file);
  }
  datagram_free(datagram);
}

void datagram_arrive(struct event *event) {
  struct datagram *datagram = (struct datagram *)event;
  if (link_is_cut(datagram->source, datagram->target)) {
    datagram_free(datagram);
    return;
  }
  if (datagram->is_for_many) {
    arrive_at_many(datagram);
    return;
  }
  struct socket *found[64];
  int count = 0;
  bool has_connected = false;
  for (struct socket *socket = datagram->target->sockets; socket; socket = socket->next_of_host) {
    if (!takes(socket, datagram)) continue;
    bool is_connected = socket->remote.any.sa_family != 0;
    if (is_connected && !has_connected) count = 0;
    if (is_connected) has_connected = true;
    if (is_connected == has_connected && count < 64) found[count++] = socket;
  }
  if (!count) {
    event_add(event, kernel.now + link_latency(datagram->target, datagram->source), refuse);
    return;
  }
  struct socket *socket = found[count == 1 ? 0 : draw_below(&kernel.draws[DRAW_NETWORK], (uint64_t)count)];
  if (socket->datagram_size + datagram->size > socket->receive_size) {
    datagram_free(datagram);
    return;
  }
  trace_arrival(datagram->source, datagram->target, datagram->sent, datagram->size);
  datagram_put(socket, datagram);
}

void datagram_put(struct socket *socket, struct datagram *datagram) {
  if (socket->last_datagram) socket->last_datagram->next = datagram;
  else socket->first_datagram = datagram;
  socket->last_datagram = datagram;
  socket->datagram_size += datagram->size;
  socket->datagram_count++;
  file_changed(&socket->file);
}

void datagram_send(struct datagram *datagram) {
  struct sim_host *from = datagram->source, *to = datagram->target;
  if (fault_is_due(DRAW_NETWORK, kernel.weather.duplication) && !link_is_full(from, to)) {
    struct datagram *copy = datagram_make(datagram, datagram->size);
    event_add(&copy->event, link_arrival(from, to, copy->size), datagram_arrive);
  }
  if (fault_is_due(DRAW_NETWORK, kernel.weather.loss) || link_is_full(from, to)) datagram_free(datagram);
  else event_add(&datagram->event, link_arrival(from, to, datagram->size), datagram_arrive);
}
