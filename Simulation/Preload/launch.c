// Runs one program on the simulated kernel, or two as hosts of one network. It gives each its environment, waits for their ends,
// and says how they have ended.

#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WRONG_USE = 2, NOT_SIMULATED = 70, TOO_LONG = 124 };

static const char help[] =
    "Runs unchanged programs on a simulated kernel: their network, clocks, threads and random bytes come from a seed.\n"
    "\n"
    "  run [OPTION]… --host NAME='COMMAND'                          one program\n"
    "  run [OPTION]… --host server='COMMAND' --host client='COMMAND'  a server, and a client that tries it\n"
    "\n"
    "  Simulation/Preload/run --seed 1-100 --weather storm \\\n"
    "    --host server='redis-server --port 6379 --bind 0.0.0.0 --protected-mode no' \\\n"
    "    --host client='python3 ask.py server 6379'\n"
    "\n"
    "Of two hosts the first one begins, and the second one 0.1 virtual seconds later. The run ends a virtual second after the\n"
    "second one; a server that runs then is ended. Each finds the other by its name, or as 10.0.0.1 and 10.0.0.2. A host's\n"
    "127.0.0.1 is its own, so let the server listen on 0.0.0.0. Time passes only where both wait: a sleep takes no real time.\n"
    "No shell reads a command: it has words and quotes, but neither variables nor pipes.\n"
    "\n"
    "  --seed N | FIRST-LAST  where each choice comes from; of a range, the runs end with the first that fails. 1 unless said\n"
    "  --weather WEATHER      calm; usual: every tenth read or write is cut short, and few calls are interrupted;\n"
    "                         storm: six of ten, and one of twenty. calm unless said\n"
    "  --cut CHANCE           of a read or a write to be cut short, between 0 and 1, in place of the weather's\n"
    "  --reset CHANCE         of the connection to be reset, for each portion that passes between the two hosts. 0 unless said\n"
    "  --start SECONDS        of virtual time until the second host begins. 0.1 unless said\n"
    "  --limit SECONDS        of virtual time after which the run fails; 0 is none. 3600 unless said\n"
    "  --real-limit SECONDS   of real time after which a run is ended, and fails. 60 unless said\n"
    "  --report               prints a digest of all calls of each host: runs that have the same digests were the same\n"
    "\n"
    "What it exits with: 0 if all went well; else what the client exits with, or else the server, if that has exited;\n"
    "70 if something was called that isn't simulated, if both wait for ever, or at the limit; 124 at the limit of real time;\n"
    "128 and the signal if one has ended a program; 2 after wrong use. After a failure it says which command repeats the run.\n"
    "\n"
    "Not simulated are datagrams between the hosts, more than two hosts, select, fork and programs that a program starts, and\n"
    "all that the article \"Which calls are simulated\" leaves out: such a call ends the run with its name and its host's. A\n"
    "program must be linked to a libc that is a shared library, for which Go's programs are none. The files are the machine's,\n"
    "for both: what a program leaves in them may make the next run another one. Nothing sees the programs' own system calls\n"
    "that don't go through libc.\n";

static const char *library, *command_name = "run";
static struct host hosts[2];
static int host_count;
static double limit = 3600, real_limit = 60;
static const char *weather = "calm";
static unsigned long long first_seed = 1, last_seed = 1;
static int argument_count;
static char **arguments;

void wrong(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("uvsim: ", stderr);
  vfprintf(stderr, format, rest);
  fprintf(stderr, "\n%s --help says more\n", command_name);
  va_end(rest);
  exit(WRONG_USE);
}

// MARK: Options

static double number(const char *option, const char *text, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0 && value <= most)) wrong("%s takes a number from 0 to %g, and not \"%s\"", option, most, text);
  return value;
}

static unsigned long long seed(const char *text, char **end) {
  if (*text < '0' || *text > '9') wrong("--seed takes a number, or two with a - between, and not \"%s\"", text);
  errno = 0;
  unsigned long long value = strtoull(text, end, 10);
  if (errno) wrong("--seed takes a number of at most 64 bits, and not \"%s\"", text);
  return value;
}

static void parse(int count, char **values) {
  static const char *const chances[][2] = {{"--cut", "UVSIM_CUT"}, {"--reset", "UVSIM_RESET"}};
  const char *taken_only_by_two = NULL;
  unsetenv("UVSIM_REPORT");
  for (int i = 0; i < 2; i++) unsetenv(chances[i][1]);
  unsetenv("UVSIM_START");
  for (int i = 1; i < count; i++) {
    const char *option = values[i];
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
      fputs(help, stdout);
      exit(0);
    }
    if (strcmp(option, "--report") == 0) {
      setenv("UVSIM_REPORT", "1", 1);
      continue;
    }
    static const char *const known[] = {"--library", "--command", "--host", "--seed", "--weather", "--cut", "--reset", "--start", "--limit", "--real-limit"};
    bool is_known = false;
    for (size_t j = 0; j < sizeof known / sizeof *known; j++) is_known |= strcmp(option, known[j]) == 0;
    if (!is_known) wrong("there is no option \"%s\"", option);
    if (i + 1 == count) wrong("%s takes something behind it", option);
    const char *value = values[++i];
    if (strcmp(option, "--library") == 0) library = value;
    else if (strcmp(option, "--command") == 0) command_name = value;
    else if (strcmp(option, "--host") == 0) {
      if (host_count == 2) wrong("there are more than two hosts");
      host_parse(&hosts[host_count++], value);
    } else if (strcmp(option, "--seed") == 0) {
      char *end;
      first_seed = last_seed = seed(value, &end);
      if (*end == '-') last_seed = seed(end + 1, &end);
      if (*end || last_seed < first_seed) wrong("--seed takes a number, or two with a - between, and not \"%s\"", value);
    } else if (strcmp(option, "--weather") == 0) {
      if (strcmp(value, "calm") != 0 && strcmp(value, "usual") != 0 && strcmp(value, "storm") != 0)
        wrong("--weather is calm, usual or storm, and not \"%s\"", value);
      weather = value;
    } else if (strcmp(option, "--limit") == 0) {
      limit = number(option, value, 1e9);
    } else if (strcmp(option, "--real-limit") == 0) {
      real_limit = number(option, value, 1e6);
    } else if (strcmp(option, "--start") == 0) {
      number(option, value, 1e9);
      taken_only_by_two = option;
      setenv("UVSIM_START", value, 1);
    } else {
      for (int j = 0; j < 2; j++) {
        if (strcmp(option, chances[j][0]) != 0) continue;
        number(option, value, 1);
        if (j == 1) taken_only_by_two = option;
        setenv(chances[j][1], value, 1);
      }
    }
  }
  if (!host_count) wrong("no --host says what to run");
  if (taken_only_by_two && host_count == 1) wrong("%s is for two hosts", taken_only_by_two);
  if (host_count == 2 && strcasecmp(hosts[0].name, hosts[1].name) == 0) wrong("both hosts have the name \"%s\"", hosts[0].name);
  if (!library) wrong("--library doesn't say where libuvsim.so is; Simulation/Preload/run does");
  for (int i = 0; i < host_count; i++) host_find(&hosts[i]);
}

// MARK: Processes

struct record { char rank, what; int code; };

/// What is known of a process.
struct child {
  pid_t id;
  bool has_ended, has_begun;
  int status;
  /// What its world has said of its end: see `pair_record`.
  struct record end;
};

static void run_child(int rank, int channel, int records, sigset_t *usual) {
  sigprocmask(SIG_SETMASK, usual, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Where things are in memory is no choice of the machine's then, if it lets the command say so.
  personality(ADDR_NO_RANDOMIZE);
  if (host_count == 2) {
    char text[256];
    snprintf(text, sizeof text, "%d,%d,%d,%s,%s", rank, channel, records, hosts[0].name, hosts[1].name);
    setenv("UVSIM_PEER", text, 1);
  }
  // What isn't the client's: a server that reads it would take it away.
  if (rank == 0 && host_count == 2) dup2(open("/dev/null", O_RDONLY), 0);
  setenv("LD_PRELOAD", library, 1);
  execv(hosts[rank].path, hosts[rank].words);
  fprintf(stderr, "uvsim: the program of %s, %s, can't be run: %s\n", hosts[rank].name, hosts[rank].path, strerror(errno));
  _exit(NOT_SIMULATED);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void start_children(struct child *children, int *records, sigset_t *usual) {
  int channels[2] = {-1, -1}, pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0 || (host_count == 2 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0)) {
    perror("uvsim");
    exit(NOT_SIMULATED);
  }
  for (int i = 0; i < host_count; i++) {
    // Out of the way of programs that expect low numbers.
    int channel = host_count == 2 ? fcntl(channels[i], F_DUPFD, 500) : -1, own_pipe = host_count == 2 ? fcntl(pipes[1], F_DUPFD, 500) : -1;
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
  double end = now() + real_limit;
  for (;;) {
    int left = 0;
    for (int i = 0; i < host_count; i++) {
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
  for (int i = 0; i < host_count; i++) {
    if (children[i].has_ended) continue;
    kill(children[i].id, SIGKILL);
    waitpid(children[i].id, &children[i].status, 0);
  }
}

// MARK: What is said of a run

static int code_of(const struct child *child) {
  if (WIFSIGNALED(child->status)) return 128 + WTERMSIG(child->status);
  return WEXITSTATUS(child->status);
}

static void say_end(int rank, const struct child *child) {
  const char *name = hosts[rank].name;
  if (WIFSIGNALED(child->status)) fprintf(stderr, "uvsim: %s was ended by signal %d, %s\n", name, WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
  else if (host_count == 2 && !child->has_begun) fprintf(stderr, "uvsim: %s has ended with %d before its main, without the simulation\n", name, WEXITSTATUS(child->status));
  else if (host_count == 1 || child->end.what == 'e') fprintf(stderr, "uvsim: %s has exited with %d\n", name, WEXITSTATUS(child->status));
  else if (child->end.what == 'r') fprintf(stderr, "uvsim: %s ran until the end\n", name);
  else if (child->end.what != 'g' && WEXITSTATUS(child->status) != NOT_SIMULATED)
    fprintf(stderr, "uvsim: %s has ended with %d in a way that isn't simulated, such as quick_exit\n", name, WEXITSTATUS(child->status));
  else if (child->end.what != 'g') fprintf(stderr, "uvsim: %s has failed\n", name);
}

static int judge(struct child *children) {
  int code = 0;
  for (int i = host_count - 1; i >= 0; i--) {
    // What follows from another one's end is no cause.
    if (host_count == 2 && children[i].end.what == 'g') continue;
    bool is_own = host_count == 1 || children[i].end.what == 'e' || children[i].end.what == 'r';
    int own = code_of(&children[i]);
    // A program that has ended behind the simulation's back.
    if (!is_own && !own) own = NOT_SIMULATED;
    if (own && (!code || !is_own)) code = own;
  }
  if (!code) return 0;
  for (int i = 0; i < host_count; i++) say_end(i, &children[i]);
  return code;
}

static void print_word(const char *word) {
  bool is_plain = *word != 0;
  for (const char *next = word; *next; next++) is_plain &= !!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%", *next);
  if (is_plain) {
    fputs(word, stderr);
    return;
  }
  fputc('\'', stderr);
  for (; *word; word++) {
    if (*word == '\'') fputs("'\\''", stderr);
    else fputc(*word, stderr);
  }
  fputc('\'', stderr);
}

static void say_how_to_repeat(unsigned long long seed) {
  fprintf(stderr, "uvsim: seed %llu failed. This repeats it:\n  ", seed);
  print_word(command_name);
  fprintf(stderr, " --seed %llu", seed);
  for (int i = 1; i < argument_count; i++) {
    bool is_left_out = strcmp(arguments[i], "--seed") == 0 || strcmp(arguments[i], "--library") == 0 || strcmp(arguments[i], "--command") == 0;
    if (is_left_out) {
      i++;
      continue;
    }
    fputc(' ', stderr);
    print_word(arguments[i]);
    if (strcmp(arguments[i], "--report") == 0 || i + 1 == argument_count) continue;
    fputc(' ', stderr);
    print_word(arguments[++i]);
  }
  fputc('\n', stderr);
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
  if (!has_ended) {
    fprintf(stderr, "uvsim: the run has taken %g seconds of real time, and was ended:", real_limit);
    for (int i = 0; i < host_count; i++)
      fprintf(stderr, " %s %s%s", hosts[i].name, children[i].has_ended ? "had ended" : host_count == 2 && !children[i].has_begun ? "hadn't reached its main" : "was running", i + 1 < host_count ? "," : "\n");
  }
  if (code) say_how_to_repeat(seed);
  return code;
}

int main(int count, char **values) {
  argument_count = count;
  arguments = values;
  parse(count, values);
  char text[64];
  snprintf(text, sizeof text, "%.9g", limit);
  setenv("UVSIM_LIMIT", text, 1);
  setenv("UVSIM_WEATHER", weather, 1);
  unsetenv("UVSIM_PEER");
  sigset_t awaited, usual;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, &usual);
  for (unsigned long long seed = first_seed;; seed++) {
    int code = run(seed, &awaited, &usual);
    if (code || seed == last_seed) return code;
  }
}
