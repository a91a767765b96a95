// Runs one program on the simulated kernel, or two as hosts of one network. It gives each its environment, and waits for their ends.

#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run_child(int rank, int channel, int records, sigset_t *usual) {
  sigprocmask(SIG_SETMASK, usual, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Where things are in memory is no choice of the machine's then, if it lets the command say so.
  personality(ADDR_NO_RANDOMIZE);
  if (options.host_count == 2) {
    char text[256];
    snprintf(text, sizeof text, "%d,%d,%d,%s,%s", rank, channel, records, options.hosts[0].name, options.hosts[1].name);
    setenv("UVSIM_PEER", text, 1);
  }
  // What isn't the client's: a server that reads it would take it away.
  if (rank == 0 && options.host_count == 2) dup2(open("/dev/null", O_RDONLY), 0);
  setenv("LD_PRELOAD", options.library, 1);
  execv(options.hosts[rank].path, options.hosts[rank].words);
  fprintf(stderr, "uvsim: the program of %s, %s, can't be run: %s\n", options.hosts[rank].name, options.hosts[rank].path, strerror(errno));
  _exit(NOT_SIMULATED);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void start_children(struct child *children, int *records, sigset_t *usual) {
  int channels[2] = {-1, -1}, pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0 || (options.host_count == 2 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0)) {
    perror("uvsim");
    exit(NOT_SIMULATED);
  }
  for (int i = 0; i < options.host_count; i++) {
    // Out of the way of programs that expect low numbers.
    int channel = options.host_count == 2 ? fcntl(channels[i], F_DUPFD, 500) : -1, own_pipe = options.host_count == 2 ? fcntl(pipes[1], F_DUPFD, 500) : -1;
    children[i].id = fork();
    if (children[i].id == 0) run_child(i, channel, own_pipe, usual);
    if (children[i].id < 0) {
      perror("uvsim: fork");
      exit(NOT_SIMULATED);
    }
    if (channel >= 0) close(channel);
    if (own_pipe >= 0) close(own_pipe);
    if (channels[i] >= 0) close(channels[i]);
  }
  close(pipes[1]);
  *records = pipes[0];
}

static void take_records(struct child *children, int records) {
  struct record record;
  fcntl(records, F_SETFL, O_NONBLOCK);
  while (read(records, &record, sizeof record) == sizeof record) {
    struct child *child = &children[(int)record.rank];
    if (record.what == 'b') child->has_begun = true;
    else if (!child->end.what) child->end = record;
  }
  close(records);
}

/// Waits for the ends of both; false if that takes too long.
static bool wait_for(struct child *children, sigset_t *awaited, int *interruption) {
  double end = now() + options.real_limit;
  for (;;) {
    int left = 0;
    for (int i = 0; i < options.host_count; i++) {
      struct child *child = &children[i];
      if (!child->has_ended && waitpid(child->id, &child->status, WNOHANG) == child->id) child->has_ended = true;
      left += !child->has_ended;
    }
    if (!left) return true;
    double rest = end - now();
    if (rest <= 0) return false;
    struct timespec time = {(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)};
    int signal = sigtimedwait(awaited, NULL, &time);
    if (signal > 0 && signal != SIGCHLD) {
      *interruption = signal;
      return false;
    }
  }
}

static void end_all(struct child *children) {
  for (int i = 0; i < options.host_count; i++) {
    if (children[i].has_ended) continue;
    kill(children[i].id, SIGKILL);
    waitpid(children[i].id, &children[i].status, 0);
  }
}

static int run(unsigned long long seed, sigset_t *awaited, sigset_t *usual) {
  char text[64];
  snprintf(text, sizeof text, "%llu", seed);
  setenv("UVSIM_SEED", text, 1);
  struct child children[2] = {0};
  int records, interruption = 0;
  start_children(children, &records, usual);
  bool has_ended = wait_for(children, awaited, &interruption);
  if (!has_ended) end_all(children);
  take_records(children, records);
  if (interruption) exit(128 + interruption);
  int code = has_ended ? judge(children) : TOO_LONG;
  if (!has_ended) say_too_long(children);
  if (code) say_how_to_repeat(seed);
  return code;
}

int main(int count, char **values) {
  options_parse(count, values);
  char text[64];
  snprintf(text, sizeof text, "%.9g", options.limit);
  setenv("UVSIM_LIMIT", text, 1);
  setenv("UVSIM_WEATHER", options.weather, 1);
  unsetenv("UVSIM_PEER");
  sigset_t awaited, usual;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, &usual);
  for (unsigned long long seed = options.first_seed;; seed++) {
    int code = run(seed, &awaited, &usual);
    if (code || seed == options.last_seed) return code;
  }
}
