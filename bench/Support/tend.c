#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench_tend.h"

#include "bench_clock.h"
#include "bench_payload.h"
#include "bench_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/// The first port of those that the system gives out by itself.
static int first_given_out(void) {
  int first = 32768;
  FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
  if (range != NULL) {
    if (fscanf(range, "%d", &first) != 1) first = 32768;
    fclose(range);
  }
  return first;
}

uint16_t bench_free_port(void) {
  enum { FIRST = 10000, TRIES = 1000 };
  int count = first_given_out() - FIRST;
  uint64_t seed = bench_now_ns() ^ (uint64_t)getpid() << 32;
  for (int try = 0; try < TRIES; try++) {
    // If the system gives out nearly all of them, it chooses.
    uint16_t port = count < TRIES ? 0 : FIRST + bench_mix(seed + try) % count;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    socklen_t length = sizeof address;
    int found = fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0 &&
                getsockname(fd, (struct sockaddr *)&address, &length) == 0;
    if (fd >= 0) close(fd);
    if (found) return ntohs(address.sin_port);
  }
  return 0;
}

#ifdef __linux__
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/// Fields of `/proc/PID/stat`, by their numbers in proc(5) less one.
enum { PARENT = 3, CHILDREN_USER = 15, CHILDREN_SYSTEM = 16, THREADS = 19, FIELDS = 20, MOST = 4096 };

static size_t read_file(const char *path, char *text, size_t capacity) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = fd < 0 ? 0 : read(fd, text, capacity - 1);
  if (fd >= 0) close(fd);
  text[count < 0 ? 0 : count] = 0;
  return count < 0 ? 0 : (size_t)count;
}

/// Reads the fields of a process; zero if it is gone.
static int read_fields(pid_t process, long long fields[FIELDS]) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  if (read_file(path, text, sizeof text) == 0) return 0;
  // The name of a program may hold anything, and stands between brackets. A letter follows.
  char *at = strrchr(text, ')');
  if (at == NULL || strlen(at) < 4) return 0;
  at += 3;
  for (int field = PARENT; field < FIELDS; field++) fields[field] = strtoll(at, &at, 10);
  return 1;
}

/// The descendants of `root`, without it.
static int find_descendants(pid_t root, pid_t found[MOST]) {
  static pid_t processes[65536], parents[65536];
  int count = 0, descendants = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < 65536;) {
    long long fields[FIELDS];
    pid_t process = (pid_t)atoi(entry->d_name);
    if (process <= 0 || !read_fields(process, fields)) continue;
    processes[count] = process;
    parents[count++] = (pid_t)fields[PARENT];
  }
  closedir(folder);
  for (int next = -1; next < descendants; next++) {
    pid_t parent = next < 0 ? root : found[next];
    for (int i = 0; i < count && descendants < MOST; i++) {
      if (parents[i] == parent) found[descendants++] = processes[i];
    }
  }
  return descendants;
}

static uint64_t memory_of(pid_t process) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
  read_file(path, text, sizeof text);
  const char *at = strstr(text, "\nPss:");
  if (at != NULL) return strtoull(at + 5, NULL, 10) * 1024;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
  read_file(path, text, sizeof text);
  at = strchr(text, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t cpu_of(pid_t process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct bench_tree bench_tree_read(pid_t root, int memory) {
  static pid_t found[MOST];
  struct bench_tree tree = {0};
  int count = find_descendants(root, found);
  uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
  for (int i = -1; i < count; i++) {
    long long fields[FIELDS];
    if (!read_fields(i < 0 ? root : found[i], fields)) continue;
    tree.cpu_ns += (uint64_t)(fields[CHILDREN_USER] + fields[CHILDREN_SYSTEM]) * tick;
    if (i < 0) continue;
    tree.cpu_ns += cpu_of(found[i]);
    tree.processes++;
    tree.threads += (int)fields[THREADS];
    if (memory) tree.resident += memory_of(found[i]);
  }
  return tree;
}

int bench_tree_confine(pid_t root, int cpu) {
  static pid_t found[MOST];
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (int rank = 0; cpu < 0 && rank < bench_usable_cpus() - (cpu == -2); rank++) {
    if (bench_usable_cpu(rank) >= 0) CPU_SET(bench_usable_cpu(rank), &processors);
  }
  if (cpu >= 0) CPU_SET(cpu, &processors);
  if (CPU_COUNT(&processors) == 0) return 0;
  int count = find_descendants(root, found), confined = 0;
  for (int i = 0; i < count; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)found[i]);
    DIR *threads = opendir(path);
    if (threads == NULL) continue;
    for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
      int id = atoi(thread->d_name);
      if (id > 0 && sched_setaffinity(id, sizeof processors, &processors) == 0) confined++;
    }
    closedir(threads);
  }
  return confined;
}

int bench_tree_busy_threads(pid_t root) {
  static pid_t found[MOST];
  static uint64_t used[MOST];
  int count = find_descendants(root, found), threads = 0, busy = 0;
  uint64_t all = 0;
  for (int i = 0; i < count; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)found[i]);
    DIR *tasks = opendir(path);
    if (tasks == NULL) continue;
    for (struct dirent *task; (task = readdir(tasks)) != NULL && threads < MOST;) {
      char text[256];
      // Nanoseconds on a processor stand first.
      int id = atoi(task->d_name);
      if (id <= 0) continue;
      snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)found[i], id);
      if (read_file(path, text, sizeof text) == 0) continue;
      all += used[threads++] = strtoull(text, NULL, 10);
    }
    closedir(tasks);
  }
  for (int i = 0; i < threads; i++) busy += used[i] > 0 && used[i] * 10 >= all;
  return busy;
}

static void begin(const char *log, const char *command, const sigset_t *signals, pid_t parent) {
  bench_die_with_parent(parent);
  setpgid(0, 0);
  int input = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (input < 0 || output < 0) _exit(126);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  for (int fd = 3; fd < 1024; fd++) close(fd);
  sigprocmask(SIG_SETMASK, signals, NULL);
  signal(SIGPIPE, SIG_DFL);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

/// Takes note of what has ended. 1 while there are children.
static int reap(pid_t child, uint64_t start) {
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == 0) return 1;
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return 0;
    if (ended != child) continue;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("ended %d %llu %llu %llu\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
               (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull,
           usage.ru_maxrss * 1024ull, (unsigned long long)(bench_now_ns() - start));
    fflush(stdout);
  }
}

static void end_all(int signal) {
  static pid_t found[MOST];
  int count = find_descendants(getpid(), found);
  for (int i = 0; i < count; i++) kill(found[i], signal);
}

int bench_tend(pid_t parent, int grace, const char *log, const char *command) {
  sigset_t signals, usual;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, &usual);
  // A key that is pressed is for the program that the user sees, which notifies this one.
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  bench_end_with_parent(parent);
  uint64_t start = bench_now_ns();
  pid_t self = getpid(), child = fork();
  if (child < 0) return 1;
  if (child == 0) begin(log, command, &usual, self);
  while (sigwaitinfo(&signals, NULL) != SIGTERM) reap(child, start);
  end_all(SIGTERM);
  struct timespec moment = {0, 5000000};
  for (int waited = 0; reap(child, start); waited += 5) {
    sigtimedwait(&signals, NULL, &moment);
    if (waited >= grace) end_all(SIGKILL);
  }
  return 0;
}
#else
int bench_tend(pid_t parent, int grace, const char *log, const char *command) {
  fprintf(stderr, "programs of others are measured on Linux only\n");
  return 1;
}

struct bench_tree bench_tree_read(pid_t root, int memory) { return (struct bench_tree){0}; }
int bench_tree_confine(pid_t root, int cpu) { return 0; }
int bench_tree_busy_threads(pid_t root) { return 0; }
#endif
