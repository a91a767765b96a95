// What a world does to the machine of a host: stops it, has its clocks drift, has calls fail.

#include "network.h"

#include <stdlib.h>
#include <string.h>

// MARK: Clocks

static uint64_t scaled(uint64_t value, uint64_t by, uint64_t from, bool rounds_up) {
  return (uint64_t)(((unsigned __int128)value * by + (rounds_up ? from - 1 : 0)) / from);
}

uint64_t host_clock(const struct sim_host *host, uint64_t start) {
  uint64_t passed = kernel.now - host->since;
  return start + (host->rate == USUAL_RATE ? passed : scaled(passed, host->rate, USUAL_RATE, false));
}

uint64_t host_span(const struct sim_host *host, uint64_t span) {
  return host->rate == USUAL_RATE || span == NEVER ? span : scaled(span, USUAL_RATE, host->rate, true);
}

uint64_t host_moment(const struct sim_host *host, uint64_t start, uint64_t moment) {
  if (moment <= start) return host->since;
  uint64_t span = host_span(host, moment - start);
  return span < NEVER - host->since ? host->since + span : NEVER;
}

void sim_host_set_rate(struct sim_host *host, uint64_t rate) {
  host->uptime = host_clock(host, host->uptime);
  host->date = host_clock(host, host->date);
  host->since = kernel.now;
  host->rate = rate;
}

void sim_host_move_date(struct sim_host *host, int64_t nanoseconds) { host->date += (uint64_t)nanoseconds; }

// MARK: Pauses

void sim_host_pause(struct sim_host *host, bool is_paused) {
  if (host->is_paused == is_paused) return;
  host->is_paused = is_paused;
  if (is_paused) threads_hold(host, NULL);
  else threads_release(host, NULL);
}

// MARK: Calls that fail

struct plan {
  struct plan *next;
  enum call call;
  uint64_t after, times;
  int error;
};

static const enum call plannable[] = {
    CALL_socket, CALL_bind, CALL_listen, CALL_accept, CALL_connect, CALL_open, CALL_mkdir, CALL_symlink, CALL_unlink,
    CALL_rmdir, CALL_rename, CALL_truncate, CALL_sync, CALL_sendfile, CALL_pipe, CALL_socketpair, CALL_dup, CALL_stat,
    CALL_read, CALL_write, CALL_sendmsg, CALL_recvmsg, CALL_eventfd, CALL_epoll_create, CALL_epoll_ctl,
    CALL_pthread_create, CALL_fork};

bool sim_host_plan(struct sim_host *host, const char *call, uint64_t after, uint64_t times, int error) {
  for (size_t i = 0; i < sizeof plannable / sizeof *plannable; i++) {
    if (strcmp(sim_call_name((uint16_t)plannable[i]), call) != 0) continue;
    struct plan *plan = calloc(1, sizeof *plan), **last = &host->plans;
    *plan = (struct plan){.call = plannable[i], .after = after, .times = times, .error = error};
    while (*last) last = &(*last)->next;
    *last = plan;
    return true;
  }
  return false;
}

int plan_is_due(struct sim_host *host, enum call call) {
  for (struct plan **place = &host->plans; *place; place = &(*place)->next) {
    struct plan *plan = *place;
    if (plan->call != call) continue;
    if (plan->after) {
      plan->after--;
      continue;
    }
    int error = plan->error;
    if (plan->times != NEVER && --plan->times == 0) {
      *place = plan->next;
      free(plan);
    }
    return -error;
  }
  return 0;
}

void plans_free(struct sim_host *host) {
  while (host->plans) {
    struct plan *plan = host->plans;
    host->plans = plan->next;
    free(plan);
  }
}
