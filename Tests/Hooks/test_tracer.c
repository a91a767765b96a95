// A process that traces another one, as a debugger does.
#define _GNU_SOURCE
#include "test_hooks.h"

#ifdef __linux__
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int test_trace(int process, int *tracer) {
  int answers[2];
  if (pipe(answers) < 0) return errno;
  int parent = getpid();
  *tracer = fork();
  if (*tracer == 0) {
    // It doesn't wait for what it traces, and ends with the test.
    int error = ptrace(PTRACE_SEIZE, process, 0, 0) < 0 ? errno : 0;
    if (write(answers[1], &error, sizeof error) < 0 || error) _exit(1);
    while (getppid() == parent) usleep(10000);
    _exit(0);
  }
  int error = *tracer < 0 ? errno : EIO;
  close(answers[1]);
  if (*tracer > 0 && read(answers[0], &error, sizeof error) != sizeof error) error = EIO;
  close(answers[0]);
  if (*tracer > 0 && error) waitpid(*tracer, NULL, 0);
  return error;
}
#endif
