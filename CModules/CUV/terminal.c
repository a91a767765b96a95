// A terminal gets its mode back when the program ends by a signal, and a child's terminal gets another size.
#define _GNU_SOURCE
#include "cuv.h"

#include <sys/ioctl.h>

static const int signals[] = {SIGHUP, SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU,
                              SIGILL, SIGABRT, SIGFPE,  SIGSEGV, SIGBUS,  SIGTRAP, SIGSYS};
enum { COUNT = sizeof signals / sizeof *signals, FIRST_OF_CRASHES = 9 };

/// The action that each signal had before.
static struct sigaction before[COUNT];

static bool is_fault(int signal) {
  return signal == SIGILL || signal == SIGFPE || signal == SIGSEGV || signal == SIGBUS;
}

static void restore_terminal(int signal, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  // A signal handler may call it.
  uv_tty_reset_mode();
  for (int i = 0; i < COUNT; i++)
    if (signals[i] == signal) sigaction(signal, &before[i], NULL);
  // A fault comes again by itself. Anything else is sent again, and arrives when this returns.
  if (!is_fault(signal) || info->si_code <= 0) raise(signal);
  errno = saved;
}

/// Whether a signal would end the program, or crash it by way of somebody's handler.
static bool ends_program(int index, const struct sigaction *now) {
  if (now->sa_flags & SA_SIGINFO) return index >= FIRST_OF_CRASHES && now->sa_sigaction != restore_terminal;
  return now->sa_handler == SIG_DFL || (index >= FIRST_OF_CRASHES && now->sa_handler != SIG_IGN);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_guarded;

void cuv_guard_terminal(bool again) {
  pthread_mutex_lock(&lock);
  is_guarded = is_guarded || !again;
  for (int i = 0; i < COUNT && is_guarded; i++) {
    struct sigaction now, action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(signals[i], NULL, &now) < 0 || !ends_program(i, &now)) continue;
    before[i] = now;
    action.sa_sigaction = restore_terminal;
    sigemptyset(&action.sa_mask);
    sigaction(signals[i], &action, NULL);
  }
  pthread_mutex_unlock(&lock);
}

int cuv_resize_terminal(int fd, unsigned short columns, unsigned short rows) {
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  return ioctl(fd, TIOCSWINSZ, &size) < 0 ? uv_translate_sys_error(errno) : 0;
}
