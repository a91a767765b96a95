// The command that runs programs with libuvsim.so: what its parts know of each other.
#pragma once

#include <stdbool.h>

enum { MOST_WORDS = 256 };

struct host {
  const char *name, *command;
  char *words[MOST_WORDS + 1];
  /// The file that is run.
  char path[4096];
};

/// Ends the command for wrong use.
void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/// Takes NAME=COMMAND apart: words as a shell's, with quotes, and no variables or patterns.
void host_parse(struct host *host, const char *text);
/// Finds its file, and looks whether the library can be put before it.
void host_find(struct host *host);
