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
  // The number 1 is that of the system's own process.
  host->last_id = 1;
  host->process = process_make(host, NULL);
  if (host->number >= MOST_HOSTS) sim_fail("more than 127 hosts");
  for (int other = 0; other < MOST_HOSTS; other++) host->links[other] = link_usual();
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
  host->process->main = thread_start(host->process, run_host, start);
}

void sim_world_start(sim_body body, void *context) {
  struct start *start = malloc(sizeof *start);
  *start = (struct start){body, context};
  thread_start(kernel.hosts->process, run_host, start);
}

bool sim_host_has_ended(const struct sim_host *host) {
  const struct thread *main = host->process->main;
  return !main || main->state == ENDED;
}


uint8_t sim_host_number(const struct sim_host *host) { return host->number; }
struct sim_host *sim_host_current(void) { return sim_self ? sim_self->host : NULL; }

const char *sim_host_name_of(uint8_t number) {
  for (struct sim_host *host = kernel.hosts; host; host = host->next) {
    if (host->number == number) return host->name;
  }
  return "?";
}

void sim_host_kill(struct sim_host *host) { process_end(host->process, SIGKILL); }

void sim_host_call(struct sim_host *host, sim_body body, void *context) {
  struct process *own = thread_become(host->process);
  library_enter(host->process);
  body(context);
  thread_become(own);
  library_enter(own);
}

void sim_host_limit(struct sim_host *host, int descriptors) { host->descriptor_limit = descriptors; }

void sim_host_break_disk(struct sim_host *host, bool is_broken) { host->is_disk_broken = is_broken; }

void sim_host_limit_disk(struct sim_host *host, uint64_t bytes) { host->disk_limit = bytes; }

void sim_host_limit_moves(struct sim_host *host, uint64_t bytes) { host->move_limit = bytes; }

void sim_host_write(struct sim_host *host, const char *path, const void *bytes, size_t size) {
  struct process *own = thread_become(host->process);
  int descriptor = disk_open(host, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  struct file *file = descriptor < 0 ? NULL : file_of(descriptor);
  if (file) {
    struct node *node = ((struct open_file *)file)->node;
    if (node_resize(node, size) == 0) memcpy(node->bytes, bytes, size);
    disk_wrote(node, 0, node->size);
    node_sync(node);
    struct place place;
    if (disk_find(host, path, true, &place) == 0) name_sync(host, place.directory, node);
    descriptor_close(host->process, descriptor);
  } else {
    sim_fail("a file of a host couldn't be written");
  }
  thread_become(own);
}

size_t sim_describe_waits(char *text, size_t size) {
  size_t length = 0;
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->state != WAITING && !thread->is_held) continue;
    const struct program *program = thread->process->program;
    int count = snprintf(length < size ? text + length : NULL, length < size ? size - length : 0,
                         "%s%s%s, thread %d: %s\n", thread->host->name, program ? ", " : "", program ? program->name : "",
                         thread->number, !thread->is_held ? thread->call : thread->host->is_paused ? "its host is paused" : "its process is stopped");
    length += (size_t)count;
  }
  return length;
}
