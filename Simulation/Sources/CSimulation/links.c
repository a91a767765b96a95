// What lies between hosts: how long something takes, and whether it arrives.

#include "network.h"

uint64_t link_latency(struct sim_host *from, struct sim_host *to) {
  if (from == to) return 0;
  const struct link *link = &from->links[to->number];
  uint64_t latency = link->latency + (link->jitter ? draw_below(&kernel.draws[DRAW_NETWORK], link->jitter) : 0);
  // What is lost is sent again after a while.
  if (fault_is_due(DRAW_NETWORK, kernel.weather.loss)) latency += 200000000;
  return latency;
}

uint64_t link_arrival(struct sim_host *from, struct sim_host *to, size_t size) {
  uint64_t latency = link_latency(from, to);
  if (from == to || !from->links[to->number].bandwidth) return kernel.now + latency;
  struct link *link = &from->links[to->number];
  unsigned __int128 time = ((unsigned __int128)size * 1000000000 + link->bandwidth - 1) / link->bandwidth;
  link->busy_until = (link->busy_until > kernel.now ? link->busy_until : kernel.now) + (uint64_t)time;
  return link->busy_until + latency;
}

size_t link_portion(struct sim_host *from, struct sim_host *to, size_t size) {
  uint64_t bandwidth = from == to ? 0 : from->links[to->number].bandwidth;
  if (!bandwidth) return size;
  // A packet at least, and what takes a fiftieth of a second.
  uint64_t portion = bandwidth / 50 > 1460 ? bandwidth / 50 : 1460;
  return size < portion ? size : (size_t)portion;
}

bool link_is_full(struct sim_host *from, struct sim_host *to) {
  enum { LONGEST_QUEUE = 1000000000 };
  return from != to && from->links[to->number].busy_until > kernel.now + LONGEST_QUEUE;
}

struct link link_usual(void) {
  uint64_t most = kernel.weather.bandwidth;
  uint64_t bandwidth = most ? most - draw_below(&kernel.draws[DRAW_NETWORK], most / 2 + 1) : 0;
  return (struct link){.latency = kernel.weather.latency, .jitter = kernel.weather.jitter, .bandwidth = bandwidth};
}

bool link_is_cut(struct sim_host *from, struct sim_host *to) {
  return to->is_down || (from != to && to->is_paused) || (from != to && from->links[to->number].is_cut);
}

bool link_is_held(struct sim_host *from, struct sim_host *to) {
  return from != to && from->links[to->number].is_held;
}

size_t cut_short(size_t size) {
  if (size < 2 || !fault_is_due(DRAW_CUT, kernel.weather.cut)) return size;
  return 1 + draw_below(&kernel.draws[DRAW_CUT], size);
}

// MARK: What the world does to them

void sim_link_cut(struct sim_host *from, struct sim_host *to, bool is_cut) {
  from->links[to->number].is_cut = is_cut;
}

void sim_link_hold(struct sim_host *from, struct sim_host *to, bool is_held) {
  from->links[to->number].is_held = is_held;
  if (!is_held) tcp_release();
}

void sim_link_limit(struct sim_host *from, struct sim_host *to, uint64_t bandwidth) {
  from->links[to->number].bandwidth = bandwidth;
}

void sim_link_delay(struct sim_host *from, struct sim_host *to, uint64_t latency, uint64_t jitter) {
  from->links[to->number].latency = latency;
  from->links[to->number].jitter = jitter;
}
