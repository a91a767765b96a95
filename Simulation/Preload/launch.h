// The command that runs programs with libuvsim.so: what its parts know of each other.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { WRONG_USE = 2, NOT_SIMULATED = 70, TOO_LONG = 124 };
enum { MOST_WORDS = 256 };

struct host {
  const char *name, *command;
  char *words[MOST_WORDS + 1];
  /// The file that is run.
  char path[4096];
};

// MARK: options.c

struct options {
  const char *library, *command, *weather;
  double limit, real_limit;
  unsigned long long first_seed, last_seed;
  struct host hosts[2];
  int host_count;
  int argument_count;
  char **arguments;
};

extern struct options options;

/// Takes them from the command's arguments. Wrong use ends the command, and so does `--help`.
void options_parse(int count, char **arguments);

/// Ends the command for wrong use.
void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// MARK: programs.c

/// Takes NAME=COMMAND apart: words as a shell's, with quotes, and no variables or patterns.
void host_parse(struct host *host, const char *text);
/// Finds its file, and looks whether the library can be put before it.
void host_find(struct host *host);

// MARK: endings.c

/// What a process's world says of its end: see `pair_record`.
struct record {
  char rank, what;
  int code;
};

struct child {
  pid_t id;
  bool has_ended, has_begun;
  int status;
  struct record end;
};

/// The exit code of a run whose processes have ended, of which something is said if it isn't 0.
int judge(const struct child *children);
void say_too_long(const struct child *children);
void say_how_to_repeat(unsigned long long seed);
