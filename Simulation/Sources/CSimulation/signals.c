// Signals: each host has its own handlers, and each thread its own mask. The process's stay as they are.

#include "kernel.h"
#include "real.h"

#include <string.h>

int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  if (!IS_SIMULATED) return REAL(sigaction)(signal, action, old);
  if (signal < 1 || signal >= MOST_SIGNALS || (action && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  struct sigaction *place = &sim_self->host->actions[signal];
  if (old) *old = *place;
  if (action) *place = *action;
  return 0;
}

__sighandler_t signal(int number, __sighandler_t handler) {
  if (!IS_SIMULATED) return REAL(signal)(number, handler);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

static int change_mask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t *mask = &sim_self->blocked;
  if (old) *old = *mask;
  if (!set) return 0;
  for (int signal = 1; signal < MOST_SIGNALS; signal++) {
    bool is_in = sigismember(set, signal) == 1;
    bool is_blocked = sigismember(mask, signal) == 1;
    if (how == SIG_SETMASK ? is_in : is_blocked ? !(how == SIG_UNBLOCK && is_in) : how == SIG_BLOCK && is_in)
      sigaddset(mask, signal);
    else
      sigdelset(mask, signal);
  }
  return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return IS_SIMULATED ? change_mask(how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return IS_SIMULATED ? change_mask(how, set, old) : REAL(sigprocmask)(how, set, old);
}
