// Signals: each host has its own handlers, and each thread its own mask. The process's stay as they are.

#include "kernel.h"
#include "real.h"

#include <string.h>

// MARK: Crashes

/// The process's own handlers of the signals that end it.
static struct sigaction crash_actions[MOST_SIGNALS];

static bool is_crash(int signal) {
  return signal == SIGILL || signal == SIGTRAP || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
         signal == SIGSEGV || signal == SIGQUIT;
}

/// Whoever looks at a crash does so outside of the world.
static void crash(int signal, siginfo_t *info, void *context) {
  sim_self = NULL;
  const struct sigaction *action = &crash_actions[signal];
  if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(signal, info, context);
  else action->sa_handler(signal);
}

static int real_action(int signal, const struct sigaction *action, struct sigaction *old) {
  if (!is_crash(signal) || !action || action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
    int code = REAL(sigaction)(signal, action, old);
    if (code == 0 && old && is_crash(signal) && old->sa_sigaction == crash) *old = crash_actions[signal];
    return code;
  }
  struct sigaction wrapped = *action;
  wrapped.sa_sigaction = crash;
  wrapped.sa_flags |= SA_SIGINFO;
  int code = REAL(sigaction)(signal, &wrapped, old);
  if (code != 0) return code;
  if (old && old->sa_sigaction == crash) *old = crash_actions[signal];
  crash_actions[signal] = *action;
  return 0;
}

// MARK: Handlers

int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  if (!IS_SIMULATED) return real_action(signal, action, old);
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

bool sim_host_signal(struct sim_host *host, int signal) {
  trace_call(CALL_signal, -1, signal, host->number);
  const struct sigaction *action = &host->actions[signal];
  if (action->sa_handler == SIG_IGN || signal == SIGCHLD || signal == SIGCONT) return true;
  if (action->sa_handler == SIG_DFL) return false;
  host->signals |= 1ull << signal;
  // Somebody has to look: any thread that waits, as on a machine.
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->host != host || sigismember(&thread->blocked, signal) == 1) continue;
    if (thread->state == WAITING) {
      thread_wake(thread, SIM_INTERRUPTED);
      return true;
    }
    if (thread->state == RUNNABLE) return true;
  }
  return true;
}

void signals_deliver(void) {
  struct sim_host *host = sim_self->host;
  sim_self->tries_again = true;
  while (host->signals) {
    int signal = __builtin_ctzll(host->signals);
    if (sigismember(&sim_self->blocked, signal) == 1) return;
    host->signals &= host->signals - 1;
    int error = errno;
    struct sigaction action = host->actions[signal];
    if (!(action.sa_flags & SA_RESTART)) sim_self->tries_again = false;
    if (action.sa_flags & SA_SIGINFO) {
      siginfo_t info = {.si_signo = signal};
      action.sa_sigaction(signal, &info, NULL);
    } else {
      action.sa_handler(signal);
    }
    errno = error;
  }
}
