// What isn't simulated: a call from a thread of the simulation ends the world with the call's name.

#include "kernel.h"
#include "real.h"

#include <dirent.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/// Ends the whole process at once. `exit` and `_exit` would end a simulated one.
static void end_program(const char *text) {
  char line[600];
  int count = snprintf(line, sizeof line, "uvsim: %s\n", text);
  REAL(syscall)(SYS_write, 2, line, count);
  REAL(syscall)(SYS_exit_group, 70);
}

void fail_missing(const char *call, const void *caller) {
  Dl_info info = {0};
  if (caller) dladdr(caller, &info);
  const char *file = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  char text[512];
  snprintf(text, sizeof text, "%s isn't simulated; the host \"%s\" called it from %s%s%s", call,
           sim_self ? sim_self->host->name : "?", info.dli_sname ? info.dli_sname : "",
           info.dli_sname ? " in " : "", file ? file + 1 : info.dli_fname ? info.dli_fname : "?");
  // A program that is run as it is may never wait again, or hide the error. A world's program is asked when it waits.
  if (kernel.options.keeps_disk) end_program(text);
  sim_fail(text);
}

int world_keeps_disk(void);
int world_keeps_disk(void) { return kernel.options.keeps_disk; }

// MARK: Threads outside

int has_outside_failure;
static char outside_failure[256];
static pthread_mutex_t outside_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_outside(const char *text) {
  REAL(pthread_mutex_lock)(&outside_lock);
  if (!__atomic_load_n(&has_outside_failure, __ATOMIC_ACQUIRE)) {
    snprintf(outside_failure, sizeof outside_failure, "%s", text);
    __atomic_store_n(&has_outside_failure, 1, __ATOMIC_RELEASE);
  }
  REAL(pthread_mutex_unlock)(&outside_lock);
}

void fail_outside(const char *call, int descriptor) {
  if (IS_SIMULATED || !world_runs()) return;
  char text[sizeof outside_failure];
  snprintf(text, sizeof text,
           "a thread outside of the world called %s with the descriptor %d of a host: only the threads of a host may", call,
           descriptor);
  note_outside(text);
  errno = EBADF;
}

void fail_outside_loop(const void *caller) {
  if (!world_runs() || !library_calls(caller)) return;
  note_outside("a thread outside of the world runs a loop of libuv meanwhile, which would share libuv's thread pool and "
               "signals with the hosts: run it before or after the world, or in another process");
}

void adopt_failures(void) {
  if (!__atomic_load_n(&has_outside_failure, __ATOMIC_ACQUIRE)) return;
  sim_fail(outside_failure);
  __atomic_store_n(&has_outside_failure, 0, __ATOMIC_RELEASE);
}

#define MISSING(type, failure, name, parameters, arguments)                                                  \
  type name parameters {                                                                                     \
    if (!IS_SIMULATED) return REAL(name) arguments;                                                          \
    fail_missing(#name, __builtin_return_address(0));                                                        \
    errno = ENOSYS;                                                                                          \
    return failure;                                                                                          \
  }

MISSING(int, -1, timerfd_create, (int clock, int flags), (clock, flags))
MISSING(int, -1, pthread_kill, (pthread_t id, int signal), (id, signal))
MISSING(int, ENOSYS, posix_spawn,
        (pid_t *restrict process, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
         const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
         char *const environment[restrict]),
        (process, path, actions, attributes, arguments, environment))
MISSING(int, -1, tcgetattr, (int descriptor, struct termios *attributes), (descriptor, attributes))
MISSING(FILE *, NULL, popen, (const char *command, const char *mode), (command, mode))
MISSING(int, -1, getifaddrs, (struct ifaddrs **list), (list))

// A timer that ends is none that would have to run.
int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old) {
  if (!IS_SIMULATED) return REAL(setitimer)(which, value, old);
  if (value && !value->it_value.tv_sec && !value->it_value.tv_usec) {
    if (old) *old = (struct itimerval){0};
    return 0;
  }
  fail_missing("setitimer", __builtin_return_address(0));
  errno = ENOSYS;
  return -1;
}
