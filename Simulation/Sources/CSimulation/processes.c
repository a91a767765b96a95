// The program of a host: its beginning, its end, and calls from the world.

#include "disk.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_host *sim_host_add(const char *name) {
  struct sim_host *host = calloc(1, sizeof *host), **last = &kernel.hosts;
  host->name = strdup(name);
  host->number = kernel.host_count++;
  // Up for a day at most, in the year 2030.
  host->uptime = 1000000000u * (3600 + draw_below(&kernel.draws[DRAW_CLOCK], 86400));
  host->date = 1893456000000000000u;
  host->rate = USUAL_RATE;
  library_prepare(host);
  if (host->number >= MOST_HOSTS) sim_fail("more than 127 hosts");
  for (int other = 0; other < MOST_HOSTS; other++)
    host->links[other] = (struct link){.latency = kernel.weather.latency, .jitter = kernel.weather.jitter};
  while (*last) last = &(*last)->next;
  *last = host;
  return host;
}

static void *run_host(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  trace_call(CALL_start, -1, 0, 0);
  start.body(start.context);
  trace_call(CALL_end, -1, 0, 0);
  return NULL;
}

void sim_host_start(struct sim_host *host, sim_body body, void *context) {
  host->is_down = host->is_paused = false;
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  host->main = thread_start(host, run_host, start);
}

void sim_world_start(sim_body body, void *context) {
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  thread_start(kernel.hosts, run_host, start);
}

bool sim_host_has_ended(const struct sim_host *host) { return !host->main || host->main->state == ENDED; }
uint8_t sim_host_number(const struct sim_host *host) { return host->number; }
const char *sim_host_name(const struct sim_host *host) { return host->name; }
struct sim_host *sim_host_current(void) { return sim_self ? sim_self->host : NULL; }

const char *sim_host_name_of(uint8_t number) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    if (host->number == number) return host->name;
  }
  return "?";
}

static void drop_process(struct sim_host *host) {
  threads_drop(host);
  if (host->is_down) tcp_crash(host);
  files_drop(host);
  free(host->library);
  library_prepare(host);
  memset(host->actions, 0, sizeof host->actions);
  host->main = NULL;
  host->jobs = NULL;
  host->pool = (struct queue){0};
  host->has_pool = false;
  host->crashes++;
  sim_tell();
}

void sim_host_crash(struct sim_host *host) {
  trace_call(CALL_crash, -1, host->number, 0);
  host->is_down = true;
  drop_process(host);
  disk_crash(host);
}

void sim_host_kill(struct sim_host *host) {
  trace_call(CALL_end, -1, host->number, 0);
  drop_process(host);
}

void sim_host_call(struct sim_host *host, sim_body body, void *context) {
  struct sim_host *own = sim_self->host;
  library_enter(host);
  sim_self->host = host;
  body(context);
  sim_self->host = own;
  library_enter(own);
}

void sim_host_limit(struct sim_host *host, int descriptors) { host->descriptor_limit = descriptors; }

void sim_host_break_disk(struct sim_host *host, bool is_broken) { host->is_disk_broken = is_broken; }

void sim_host_limit_disk(struct sim_host *host, uint64_t bytes) { host->disk_limit = bytes; }

void sim_host_limit_moves(struct sim_host *host, uint64_t bytes) { host->move_limit = bytes; }

void sim_host_write(struct sim_host *host, const char *path, const void *bytes, size_t size) {
  struct sim_host *own = sim_self->host;
  sim_self->host = host;
  int descriptor = disk_open(host, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  struct file *file = descriptor < 0 ? NULL : file_of(descriptor);
  if (file) {
    struct node *node = ((struct open_file *)file)->node;
    if (node_resize(node, size) == 0) memcpy(node->bytes, bytes, size);
    disk_wrote(node, 0, node->size);
    node_sync(node);
    struct place place;
    if (disk_find(host, path, true, &place) == 0) name_sync(host, place.directory, node);
    descriptor_close(host, descriptor);
  } else {
    sim_fail("a file of a host couldn't be written");
  }
  sim_self->host = own;
}

size_t sim_describe_waits(char *text, size_t size) {
  size_t length = 0;
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->state != WAITING && !thread->is_held) continue;
    int count = snprintf(length < size ? text + length : NULL, length < size ? size - length : 0,
                         "%s, thread %d: %s\n", thread->host->name, thread->number,
                         thread->is_held ? "its host is paused" : thread->call);
    length += (size_t)count;
  }
  return length;
}
