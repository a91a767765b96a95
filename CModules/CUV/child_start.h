// How a child begins that borrows this process's memory; for children.c alone.
#pragma once

#include "children.h"

#ifdef __linux__
/// The arguments of a child's start, and its results.
struct cuv_start {
  /// Null for a child that ends at once.
  const uv_process_options_t *options;
  /// The number in this process of each descriptor of the child; -1 for the null device, or for none from 3 on.
  int *descriptors;
  int count;
  /// Where the child puts together a path of the program.
  char *path;
  /// The arguments of a shell, for a program that is a script without the name of its interpreter.
  char **shell;
  char *search;
  /// The terminal, in this process, that the child's session gets; -1 for none.
  int terminal;
  /// Why the child couldn't begin, as `errno`; 0 once its program has.
  int error;
};

/// Allocates what a start needs. Returns 0 or a libuv error code. `cuv_start_free` must follow in both cases.
int cuv_start_prepare(struct cuv_start *start);
void cuv_start_free(struct cuv_start *start);

/// Starts the child, and waits until its program has begun. Returns its number, or a libuv error code; then
/// there is no child. A child without options has ended when this returns.
int cuv_start(struct cuv_start *start, int *descriptor);
#endif
