// Commands of hosts: their words, and whether their programs can be run with a library put before libc.

#include "launch.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void split(struct host *host, const char *text) {
  char *to = malloc(strlen(text) + 1);
  int count = 0;
  for (;;) {
    while (isspace((unsigned char)*text)) text++;
    if (!*text) break;
    if (count == MOST_WORDS) wrong("the command of %s has more than %d words", host->name, MOST_WORDS);
    host->words[count++] = to;
    char quote = 0;
    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
      if (quote ? *text == quote : *text == '\'' || *text == '"') {
        quote = quote ? 0 : *text;
        continue;
      }
      if (!quote && strchr("|&;<>()$`", *text))
        wrong("the command of %s has a \"%c\", which means something to a shell; no shell reads it. Quote it within the command", host->name, *text);
      if (*text == '\\' && quote != '\'' && text[1]) text++;
      *to++ = *text;
    }
    if (quote) wrong("the command of %s has a quote without an end", host->name);
    *to++ = 0;
  }
  if (!count) wrong("the command of %s is empty", host->name);
}

void host_parse(struct host *host, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) wrong("--host takes NAME=COMMAND, and not \"%s\"", text);
  size_t length = (size_t)(equals - text);
  char *name = strndup(text, length);
  for (size_t i = 0; i < length; i++) {
    if (!isalnum((unsigned char)name[i]) && name[i] != '-') wrong("the name \"%s\" of a host has something else than letters, digits and -", name);
  }
  if (length > 40) wrong("the name \"%s\" of a host is longer than 40 letters", name);
  if (strcasecmp(name, "localhost") == 0 || strcasecmp(name, "world") == 0) wrong("\"%s\" can't be the name of a host", name);
  host->name = name;
  host->command = equals + 1;
  split(host, host->command);
}

/// Finds the file of the host's first word.
static void find(struct host *host) {
  const char *name = host->words[0], *folders = getenv("PATH");
  if (strchr(name, '/')) {
    snprintf(host->path, sizeof host->path, "%s", name);
  } else {
    for (const char *folder = folders ? folders : "/usr/bin:/bin"; folder; folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
      snprintf(host->path, sizeof host->path, "%.*s/%s", (int)strcspn(folder, ":"), folder, name);
      if (access(host->path, X_OK) == 0) break;
      host->path[0] = 0;
    }
  }
  struct stat status;
  if (!host->path[0] || stat(host->path, &status) != 0) wrong("the program of %s, %s, isn't there", host->name, name);
  if (!S_ISREG(status.st_mode) || access(host->path, X_OK) != 0) wrong("the program of %s, %s, can't be run", host->name, host->path);
}

static void check(struct host *host, const char *path, int depth);

/// `env` would start a program in its place, which isn't simulated: the command does so instead.
static void begin_with(struct host *host, const char *interpreter, int depth) {
  int count = 0;
  while (host->words[count]) count++;
  if (count == MOST_WORDS) wrong("the command of %s has more than %d words", host->name, MOST_WORDS);
  memmove(&host->words[1], &host->words[0], ((size_t)count + 1) * sizeof *host->words);
  host->words[1] = strdup(host->path);
  host->words[0] = strdup(interpreter);
  find(host);
  check(host, host->path, depth + 1);
}

/// A loader that puts the library before libc is only asked by some files.
static void check(struct host *host, const char *path, int depth) {
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &status) != 0) wrong("the program of %s, %s, can't be read", host->name, path);
  if (status.st_mode & (S_ISUID | S_ISGID) && geteuid() != 0)
    wrong("the program of %s, %s, runs as another user, so that the system lets no library before it", host->name, path);
  Elf64_Ehdr header = {0};
  size_t count = fread(&header, 1, sizeof header, file);
  if (count >= 2 && memcmp(&header, "#!", 2) == 0) {
    char line[512] = {0}, *rest;
    rewind(file);
    fgets(line, sizeof line, file);
    char *interpreter = strtok_r(line + 2, " \t\n", &rest), *name = interpreter ? strtok_r(NULL, " \t\n", &rest) : NULL;
    if (!interpreter || depth == 4) wrong("the program of %s, %s, is a script without an interpreter", host->name, path);
    const char *last = strrchr(interpreter, '/');
    if (last && strcmp(last, "/env") == 0) {
      if (!name || *name == '-' || strchr(name, '=') || strtok_r(NULL, " \t\n", &rest))
        wrong("the program of %s, %s, is a script that env begins with more than a name: name its interpreter in the command", host->name, path);
      begin_with(host, name, depth);
    } else {
      check(host, interpreter, depth + 1);
    }
  } else if (count < sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    wrong("the program of %s, %s, is neither an ELF file nor a script that begins with #!", host->name, path);
  } else if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    wrong("the program of %s, %s, isn't one of 64 bits", host->name, path);
  } else {
    bool has_loader = false;
    for (int i = 0; i < header.e_phnum; i++) {
      Elf64_Phdr part;
      if (fseek(file, (long)(header.e_phoff + (size_t)i * header.e_phentsize), SEEK_SET) != 0 || fread(&part, sizeof part, 1, file) != 1) break;
      has_loader |= part.p_type == PT_INTERP;
    }
    if (!has_loader)
      wrong("the program of %s, %s, is linked statically: its calls can't be answered by another library than the libc that is in it", host->name, path);
  }
  fclose(file);
}

void host_find(struct host *host) {
  find(host);
  check(host, host->path, 0);
}
