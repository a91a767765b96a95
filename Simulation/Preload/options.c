// The options of the command, and its help.

#include "launch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct options options = {
    .command = "run", .weather = "calm", .limit = 3600, .real_limit = 60, .first_seed = 1, .last_seed = 1};

void wrong(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("uvsim: ", stderr);
  vfprintf(stderr, format, rest);
  fprintf(stderr, "\n%s --help says more\n", options.command);
  va_end(rest);
  exit(WRONG_USE);
}

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

void options_parse(int count, char **values) {
  options.argument_count = count;
  options.arguments = values;
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
    if (strcmp(option, "--library") == 0) options.library = value;
    else if (strcmp(option, "--command") == 0) options.command = value;
    else if (strcmp(option, "--host") == 0) {
      if (options.host_count == 2) wrong("there are more than two hosts");
      host_parse(&options.hosts[options.host_count++], value);
    } else if (strcmp(option, "--seed") == 0) {
      char *end;
      options.first_seed = options.last_seed = seed(value, &end);
      if (*end == '-') options.last_seed = seed(end + 1, &end);
      if (*end || options.last_seed < options.first_seed) wrong("--seed takes a number, or two with a - between, and not \"%s\"", value);
    } else if (strcmp(option, "--weather") == 0) {
      if (strcmp(value, "calm") != 0 && strcmp(value, "usual") != 0 && strcmp(value, "storm") != 0)
        wrong("--weather is calm, usual or storm, and not \"%s\"", value);
      options.weather = value;
    } else if (strcmp(option, "--limit") == 0) {
      options.limit = number(option, value, 1e9);
    } else if (strcmp(option, "--real-limit") == 0) {
      options.real_limit = number(option, value, 1e6);
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
  if (!options.host_count) wrong("no --host says what to run");
  if (taken_only_by_two && options.host_count == 1) wrong("%s is for two hosts", taken_only_by_two);
  if (options.host_count == 2 && strcasecmp(options.hosts[0].name, options.hosts[1].name) == 0) wrong("both hosts have the name \"%s\"", options.hosts[0].name);
  if (!options.library) wrong("--library doesn't say where libuvsim.so is; Simulation/Preload/run does");
  for (int i = 0; i < options.host_count; i++) host_find(&options.hosts[i]);
}
