// Signals: each process has its own handlers, and each thread its own mask. The process's stay as they are.

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

/// A handler of crashes runs outside of the world.
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
  struct sigaction *place = &sim_self->process->actions[signal];
  if (old) *old = *place;
  if (action) *place = *action;
  return 0;
}

__sighandler_t signal(int number, __sighandler_t handler) {
  if (!IS_SIMULATED) return REAL(signal)(number, handler);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

/// Leaves `errno` alone, as the functions do that stand on it.
static int change_mask(int how, const sigset_t *set, sigset_t *old) {
  int error = errno;
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
  if (sim_self->process->signals) signals_deliver();
  errno = error;
  return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return IS_SIMULATED ? change_mask(how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return IS_SIMULATED ? change_mask(how, set, old) : REAL(sigprocmask)(how, set, old);
}

static bool is_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

bool signal_ends(const struct process *process, int signal) {
  if (signal == SIGKILL) return true;
  if (process->actions[signal].sa_handler != SIG_DFL || is_stop(signal)) return false;
  return signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH;
}

void process_signal(struct process *process, int signal) {
  const struct sigaction *action = &process->actions[signal];
  if (signal == SIGCONT && process->is_stopped) {
    process->is_stopped = false;
    threads_release(process->host, process);
  }
  if (signal != SIGSTOP && action->sa_handler == SIG_IGN) return;
  if (signal == SIGSTOP || action->sa_handler == SIG_DFL) {
    if (is_stop(signal)) {
      process->is_stopped = true;
      threads_hold(process->host, process);
    }
    return;
  }
  process->signals |= 1ull << (signal - 1);
  // Somebody has to look: any thread that waits, as on a machine.
  for (struct thread *thread = kernel.threads; thread; thread = thread->next_of_all) {
    if (thread->process != process || thread == sim_self || sigismember(&thread->blocked, signal) == 1) continue;
    if (thread->state == WAITING) {
      thread_wake(thread, SIM_INTERRUPTED);
      return;
    }
    if (thread->state == RUNNABLE) return;
  }
}

bool sim_host_signal(struct sim_host *host, int signal) {
  trace_call(CALL_signal, -1, signal, host->number);
  if (signal_ends(host->process, signal)) return false;
  process_signal(host->process, signal);
  return true;
}

bool signals_deliver(void) {
  struct process *process = sim_self->process;
  sim_self->tries_again = true;
  bool has_come = false;
  for (int signal = 1; signal < MOST_SIGNALS && process->signals; signal++) {
    uint64_t bit = 1ull << (signal - 1);
    if (!(process->signals & bit) || sigismember(&sim_self->blocked, signal) == 1) continue;
    process->signals &= ~bit;
    has_come = true;
    int error = errno;
    struct sigaction action = process->actions[signal];
    if (!(action.sa_flags & SA_RESTART)) sim_self->tries_again = false;
    if (action.sa_flags & SA_SIGINFO) {
      siginfo_t info = {.si_signo = signal};
      action.sa_sigaction(signal, &info, NULL);
    } else {
      action.sa_handler(signal);
    }
    errno = error;
  }
  return has_come;
}
