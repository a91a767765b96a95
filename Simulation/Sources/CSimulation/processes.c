// The processes of a host: how they end, who is notified, and how they signal each other.

#include "disk.h"
#include "real.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct process *process_make(struct sim_host *host, struct process *parent) {
  struct process *process = calloc(1, sizeof *process);
  process->host = host;
  process->parent = parent;
  process->id = ++host->last_id;
  process->group = parent ? parent->group : process->id;
  process->next = host->processes;
  host->processes = process;
  library_prepare(process);
  if (!parent && !kernel.options.keeps_disk) standard_open(process);
  return process;
}

// MARK: Ends

/// Lets go of what it has. Its structure stays, because its threads refer to it.
static void let_go(struct process *process) {
  process->has_ended = true;
  files_drop(process);
  if (process->directory) node_release(process->directory);
  process->directory = NULL;
  process->jobs = NULL;
}

/// Those that it has started go on, and nobody hears of their ends.
static void leave_children(struct process *parent) {
  for (struct process *process = parent->host->processes; process; process = process->next) {
    if (process->parent != parent) continue;
    process->parent = NULL;
    process->is_reaped = process->has_ended;
  }
}

static bool is_heard_by(const struct process *parent) {
  if (!parent || !parent->main || parent->main->state == ENDED) return false;
  const struct sigaction *action = &parent->actions[SIGCHLD];
  return action->sa_handler != SIG_IGN && !(action->sa_flags & SA_NOCLDWAIT);
}

void process_end(struct process *process, int status) {
  struct sim_host *host = process->host;
  struct process *parent = process->parent;
  trace_call(CALL_exit, process->id, status, host->number);
  threads_drop(process);
  let_go(process);
  process->status = status;
  leave_children(process);
  process->is_reaped = !is_heard_by(parent);
  if (process == host->process) {
    host->process = process_make(host, NULL);
    sim_notify();
  } else if (parent) {
    queue_wake_all(&parent->waiters);
    process_signal(parent, SIGCHLD);
  }
}

void process_main_ended(struct process *process) {
  if (process->program) process_end(process, process->status);
  else sim_notify();
}

void sim_host_crash(struct sim_host *host) {
  trace_call(CALL_crash, -1, host->number, 0);
  host->is_down = true;
  for (struct process *process = host->processes; process; process = process->next) {
    if (!process->has_ended) threads_drop(process);
  }
  tcp_crash(host);
  // What its machine has not sent yet is gone.
  for (int other = 0; other < MOST_HOSTS; other++) host->links[other].busy_until = 0;
  for (struct process *process = host->processes; process; process = process->next) {
    if (!process->has_ended) let_go(process);
    process->is_reaped = true;
  }
  host->process = process_make(host, NULL);
  disk_crash(host);
  sim_notify();
}

void processes_free(struct sim_host *host) {
  for (struct process *process = host->processes; process;) {
    struct process *next = process->next;
    free(process->library);
    free(process->arguments);
    free(process->variables);
    free(process);
    process = next;
  }
}

// MARK: Waiting

/// A child that has ended, or else one that may; null if there is none.
static struct process *find_child(pid_t id) {
  struct process *found = NULL;
  for (struct process *process = sim_self->host->processes; process; process = process->next) {
    if (process->parent != sim_self->process || process->is_reaped || (id != -1 && process->id != id)) continue;
    if (!found || process->has_ended || !found->has_ended) found = process;
  }
  return found;
}

static int wait_for(pid_t id, int *status, int options, const void *caller) {
  if (id == 0 || id < -1 || (options & ~WNOHANG)) {
    fail_missing("waitpid for a group of processes, or with other options than WNOHANG", caller);
    return -ENOSYS;
  }
  for (;;) {
    struct process *child = find_child(id);
    if (!child) return -ECHILD;
    if (child->has_ended) {
      child->is_reaped = true;
      if (status) *status = child->status;
      return child->id;
    }
    if (options & WNOHANG) return 0;
    sim_self->tries_again = true;
    enum sim_reason reason = thread_wait_interruptibly(&sim_self->process->waiters, NEVER, "waitpid");
    if (reason == SIM_INTERRUPTED && !sim_self->tries_again) return -EINTR;
  }
}

pid_t waitpid(pid_t id, int *status, int options) {
  if (!IS_SIMULATED) return REAL(waitpid)(id, status, options);
  int code = wait_for(id, status, options, __builtin_return_address(0));
  return (pid_t)traced(CALL_waitpid, -1, code, (uint64_t)options);
}

pid_t wait(int *status) { return IS_SIMULATED ? waitpid(-1, status, 0) : REAL(wait)(status); }

// MARK: Numbers and signals

pid_t getpid(void) { return IS_PROCESS ? sim_self->process->id : REAL(getpid)(); }

pid_t getppid(void) {
  if (!IS_PROCESS) return REAL(getppid)();
  return sim_self->process->parent ? sim_self->process->parent->id : 1;
}

/// Begins a session, and so a group of its own.
static int begin_session(void) {
  struct process *process = sim_self->process;
  if (process->group == process->id) return -EPERM;
  return process->group = process->id;
}

pid_t setsid(void) {
  if (!IS_PROCESS) return REAL(setsid)();
  return (pid_t)traced(CALL_kill, -1, begin_session(), 0);
}

static int send_signal(pid_t id, int signal, const void *caller) {
  if (id == -1 || !IS_PROCESS) {
    fail_missing(id == -1 ? "kill of all processes" : "kill", caller);
    return -ENOSYS;
  }
  if (signal < 0 || signal >= MOST_SIGNALS) return -EINVAL;
  int group = id > 0 ? 0 : id < 0 ? -id : sim_self->process->group;
  bool is_found = false;
  // One that ends may have another one made, which is put before it.
  for (struct process *process = sim_self->host->processes, *next; process; process = next) {
    next = process->next;
    if (process->is_reaped || (group ? process->group != group : process->id != id)) continue;
    is_found = true;
    if (signal == 0 || process->has_ended) continue;
    if (!signal_ends(process, signal)) process_signal(process, signal);
    else process_end(process, signal);
  }
  return is_found ? 0 : -ESRCH;
}

/// What follows from a signal for the calling thread: its process has ended, has stopped, or has a handler to call.
static void heed(void) {
  if (sim_self->process->has_ended) thread_abandon();
  if (sim_self->process->is_stopped) thread_yield();
  if (sim_self->process->signals) signals_deliver();
}

int kill(pid_t id, int signal) {
  if (!IS_SIMULATED) return REAL(kill)(id, signal);
  int code = (int)traced(CALL_kill, id, send_signal(id, signal, __builtin_return_address(0)), (uint64_t)signal);
  int error = errno;
  heed();
  errno = error;
  return code;
}

int killpg(pid_t group, int signal) { return IS_SIMULATED ? kill(-group, signal) : REAL(killpg)(group, signal); }

int raise(int signal) { return IS_PROCESS ? kill(sim_self->process->id, signal) : REAL(raise)(signal); }
