#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench_process.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>

// What the process was given when it started; pinning narrows it and unpinning
// returns to it.
static cpu_set_t original;
static int known = 0;

// Where unpinning returns to: all of them, or one that is shared with another process.
static cpu_set_t home;

// `BENCH_CPUS` chooses the processors: a list such as `2,3`, the first for the measured
// side; `off` leaves threads where the system puts them.
static int chosen[8], choices = 0;

static int is_chosen(int cpu) {
  for (int index = 0; index < choices; index++) {
    if (chosen[index] == cpu) return 1;
  }
  return 0;
}

// Returns the first processor of `list` that is not there, or -1.
static int choose(const char *list) {
  int missing = -1;
  choices = 0;
  known = sched_getaffinity(0, sizeof original, &original) == 0;
  home = original;
  if (strcmp(list, "off") == 0) known = 0;
  for (char *end; known && choices < 8; list = end + (*end == ',')) {
    long cpu = strtol(list, &end, 10);
    if (end == list) break;
    if (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &original)) {
      if (!is_chosen((int)cpu)) chosen[choices++] = (int)cpu;
    } else if (missing < 0) {
      missing = cpu >= 0 && cpu < INT_MAX ? (int)cpu : INT_MAX;
    }
  }
  return missing;
}

__attribute__((constructor)) static void remember(void) {
  const char *list = getenv("BENCH_CPUS");
  choose(list == NULL ? "" : list);
}

int bench_choose_cpus(const char *list) {
  setenv("BENCH_CPUS", list, 1);
  return choose(list);
}

void bench_die_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

void bench_end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
}

int bench_can_pin(void) { return known; }

int bench_usable_cpus(void) {
  if (!known) return 1;
  return choices > 0 ? choices : CPU_COUNT(&original);
}

int bench_usable_cpu(int rank) {
  if (!known || rank < 0) return -1;
  if (choices > 0) return rank < choices ? chosen[rank] : -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &original) && rank-- == 0) return cpu;
  }
  return -1;
}

int bench_pin_thread(int cpu) {
  if (cpu < 0) return -1;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return sched_setaffinity(0, sizeof one, &one);
}

void bench_unpin_thread(void) {
  if (known) sched_setaffinity(0, sizeof home, &home);
}

int bench_confine_process(int confined) {
  int cpu = bench_usable_cpu(0);
  if (!known || cpu < 0) return -1;
  home = original;
  if (confined) {
    CPU_ZERO(&home);
    CPU_SET(cpu, &home);
  }
  // Threads that are started later inherit from these.
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return -1;
  for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
    int id = atoi(thread->d_name);
    if (id > 0) sched_setaffinity(id, sizeof home, &home);
  }
  closedir(threads);
  return 0;
}
#else
void bench_die_with_parent(pid_t parent) {
  if (getppid() != parent) _exit(1);
}

void bench_end_with_parent(pid_t parent) {
  if (getppid() != parent) _exit(1);
}

int bench_choose_cpus(const char *list) { return -1; }
int bench_can_pin(void) { return 0; }
int bench_usable_cpus(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
int bench_usable_cpu(int rank) { return -1; }
int bench_pin_thread(int cpu) { return -1; }
void bench_unpin_thread(void) {}
int bench_confine_process(int confined) { return -1; }
#endif

void bench_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}
