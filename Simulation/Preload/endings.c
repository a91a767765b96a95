// What is said of a run that has ended.

#define _GNU_SOURCE
#include "launch.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static int code_of(const struct child *child) {
  if (WIFSIGNALED(child->status)) return 128 + WTERMSIG(child->status);
  return WEXITSTATUS(child->status);
}

static void say_end(int rank, const struct child *child) {
  const char *name = options.hosts[rank].name;
  if (WIFSIGNALED(child->status)) fprintf(stderr, "uvsim: %s was ended by signal %d, %s\n", name, WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
  else if (options.host_count == 2 && !child->has_begun) fprintf(stderr, "uvsim: %s has ended with %d before its main, without the simulation\n", name, WEXITSTATUS(child->status));
  else if (options.host_count == 1 || child->end.what == 'e') fprintf(stderr, "uvsim: %s has exited with %d\n", name, WEXITSTATUS(child->status));
  else if (child->end.what == 'r') fprintf(stderr, "uvsim: %s ran until the end\n", name);
  else if (child->end.what != 'g' && WEXITSTATUS(child->status) != NOT_SIMULATED)
    fprintf(stderr, "uvsim: %s has ended with %d in a way that isn't simulated, such as quick_exit\n", name, WEXITSTATUS(child->status));
  else if (child->end.what != 'g') fprintf(stderr, "uvsim: %s has failed\n", name);
}

int judge(const struct child *children) {
  int code = 0;
  for (int i = options.host_count - 1; i >= 0; i--) {
    // What follows from another one's end is no cause.
    if (options.host_count == 2 && children[i].end.what == 'g') continue;
    bool is_own = options.host_count == 1 || children[i].end.what == 'e' || children[i].end.what == 'r';
    int own = code_of(&children[i]);
    // A program that has ended behind the simulation's back.
    if (!is_own && !own) own = NOT_SIMULATED;
    if (own && (!code || !is_own)) code = own;
  }
  if (!code) return 0;
  for (int i = 0; i < options.host_count; i++) say_end(i, &children[i]);
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

void say_how_to_repeat(unsigned long long seed) {
  fprintf(stderr, "uvsim: seed %llu failed. This repeats it:\n  ", seed);
  print_word(options.command);
  fprintf(stderr, " --seed %llu", seed);
  for (int i = 1; i < options.argument_count; i++) {
    bool is_left_out = strcmp(options.arguments[i], "--seed") == 0 || strcmp(options.arguments[i], "--library") == 0 || strcmp(options.arguments[i], "--command") == 0;
    if (is_left_out) {
      i++;
      continue;
    }
    fputc(' ', stderr);
    print_word(options.arguments[i]);
    if (strcmp(options.arguments[i], "--report") == 0 || i + 1 == options.argument_count) continue;
    fputc(' ', stderr);
    print_word(options.arguments[++i]);
  }
  fputc('\n', stderr);
}

void say_too_long(const struct child *children) {
  fprintf(stderr, "uvsim: the run has taken %g seconds of real time, and was ended:", options.real_limit);
  for (int i = 0; i < options.host_count; i++) {
    const char *state = children[i].has_ended ? "had ended" : options.host_count == 2 && !children[i].has_begun ? "hadn't reached its main" : "was running";
    fprintf(stderr, " %s %s%s", options.hosts[i].name, state, i + 1 < options.host_count ? "," : "\n");
  }
}
