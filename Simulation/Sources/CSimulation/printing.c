// libc's standard streams, where a process has other standard descriptors than the test: what its program prints goes there, and
// what it reads comes from there. Nothing is kept back.

#include "files.h"
#include "real.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The descriptor of the calling thread's process that the stream stands for; negative if the stream is libc's matter.
static int descriptor_of(const FILE *stream) {
  if (!IS_PROCESS) return -1;
  int descriptor = stream == stdin ? 0 : stream == stdout ? 1 : stream == stderr ? 2 : -1;
  return descriptor > 0 && standard_is_own(descriptor) ? -1 : descriptor;
}

/// How many of the bytes were written.
static size_t print(int descriptor, const char *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t written = write(descriptor, bytes + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += (size_t)written;
  }
  return done;
}

size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict stream) {
  int descriptor = descriptor_of(stream);
  if (descriptor < 0) return REAL(fwrite)(bytes, size, count, stream);
  return size ? print(descriptor, bytes, size * count) / size : 0;
}

int fputs(const char *restrict text, FILE *restrict stream) {
  int descriptor = descriptor_of(stream);
  if (descriptor < 0) return REAL(fputs)(text, stream);
  return print(descriptor, text, strlen(text)) < strlen(text) ? EOF : 1;
}

int puts(const char *text) {
  int descriptor = descriptor_of(stdout);
  if (descriptor < 0) return REAL(puts)(text);
  return fputs(text, stdout) < 0 || fputs("\n", stdout) < 0 ? EOF : 1;
}

int putchar(int byte) {
  int descriptor = descriptor_of(stdout);
  if (descriptor < 0) return REAL(putchar)(byte);
  return print(descriptor, &(char){(char)byte}, 1) ? (unsigned char)byte : EOF;
}

/// libc's own lock would be held while a full pipe is waited for, and another thread of the world would wait for it in real time.
void flockfile(FILE *stream) {
  if (descriptor_of(stream) < 0) REAL(flockfile)(stream);
}

void funlockfile(FILE *stream) {
  if (descriptor_of(stream) < 0) REAL(funlockfile)(stream);
}

/// Reads a byte at a time: what comes after the line is for the next read.
static ssize_t read_line(int descriptor, char **line, size_t *capacity, int end) {
  size_t count = 0;
  for (;;) {
    char byte;
    ssize_t size = read(descriptor, &byte, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (!*line || count + 2 > *capacity) {
      *capacity = *line && *capacity > 60 ? *capacity * 2 : 120;
      *line = realloc(*line, *capacity);
    }
    (*line)[count++] = byte;
    (*line)[count] = 0;
    if (byte == (char)end) break;
  }
  return count ? (ssize_t)count : -1;
}

ssize_t __getdelim(char **restrict line, size_t *restrict capacity, int end, FILE *restrict stream) {
  int descriptor = descriptor_of(stream);
  return descriptor < 0 ? REAL(__getdelim)(line, capacity, end, stream) : read_line(descriptor, line, capacity, end);
}

ssize_t getline(char **restrict line, size_t *restrict capacity, FILE *restrict stream) {
  int descriptor = descriptor_of(stream);
  return descriptor < 0 ? REAL(getline)(line, capacity, stream) : read_line(descriptor, line, capacity, '\n');
}

// MARK: To a descriptor

static int print_formatted(int descriptor, const char *format, va_list values) {
  char *text;
  int size = vasprintf(&text, format, values);
  if (size < 0) return -1;
  size_t printed = print(descriptor, text, (size_t)size);
  int error = errno;
  free(text);
  errno = error;
  return printed < (size_t)size ? -1 : size;
}

int vdprintf(int descriptor, const char *restrict format, va_list values) {
  return LEAVES(descriptor) ? REAL(vdprintf)(descriptor, format, values) : print_formatted(descriptor, format, values);
}

/// Of programs that are compiled with _FORTIFY_SOURCE.
int __vdprintf_chk(int descriptor, int flag, const char *restrict format, va_list values);
int __vdprintf_chk(int descriptor, int flag, const char *restrict format, va_list values) {
  return vdprintf(descriptor, format, values);
}

int dprintf(int descriptor, const char *restrict format, ...) {
  va_list values;
  va_start(values, format);
  int size = vdprintf(descriptor, format, values);
  va_end(values);
  return size;
}

int __dprintf_chk(int descriptor, int flag, const char *restrict format, ...);
int __dprintf_chk(int descriptor, int flag, const char *restrict format, ...) {
  va_list values;
  va_start(values, format);
  int size = vdprintf(descriptor, format, values);
  va_end(values);
  return size;
}
