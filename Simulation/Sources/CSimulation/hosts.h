/// Hosts, the links between them, and the processes that run on them. Included by kernel.h.
#pragma once

struct file;
struct job;
struct node;

struct descriptor {
  struct file *file;
  bool closes_on_exec;
};

/// A program that runs on a host: the host's own one, or one that it has started.
struct process {
  struct process *next;
  struct sim_host *host;
  /// Who hears of its end; null if nobody does.
  struct process *parent;
  int id;
  /// The number of the process that has begun its group.
  int group;
  /// What was started; null for the host's own program.
  const struct program *program;
  /// Its arguments, and its environment as it began; null if it has that of all hosts.
  char **arguments, **variables;
  struct thread *main;
  /// Its own copy of libuv's variables: its thread pool, its signals.
  char *library;
  /// The same of what `UV` keeps for a process.
  void *own[3];
  /// What `environ` is while it runs, if that is its own.
  char **environment;
  struct descriptor *descriptors;
  int descriptor_count, descriptor_capacity;
  struct sigaction actions[MOST_SIGNALS];
  /// Those that have come, a bit for each.
  uint64_t signals;
  /// Where its relative paths begin; null for the root.
  struct node *directory;
  /// What waits for its part of Swift's global pool, and the pool's thread.
  struct job *jobs;
  struct queue pool;
  bool has_pool, is_pool_busy;
  bool is_stopped, has_ended;
  /// How it has ended, as `waitpid` says it, and whether that was said.
  int status;
  bool is_reaped;
  /// Those that wait for a child.
  struct queue waiters;
  /// Where its parent's thread goes on, once a child that it forks has begun.
  struct fork *fork;
};

enum { MOST_HOSTS = 128 };

/// The way from one host to another.
struct link {
  uint64_t latency, jitter;
  /// Bytes that it carries in a second, 0 if that isn't limited, and when it has carried what it was given.
  uint64_t bandwidth, busy_until;
  bool is_cut, is_held;
};

struct sim_host {
  struct sim_host *next;
  char *name;
  uint8_t number;
  /// The process of its program, and all that there were; the latest is first.
  struct process *process, *processes;
  int last_id;
  /// How many descriptors a process may have; 0 if that isn't limited.
  int descriptor_limit;
  /// Nanoseconds on its clocks at the world's moment `since`, and by how many billionths of a second they go on in a nanosecond.
  uint64_t uptime, date, since, rate;
  struct socket *sockets;
  struct node *root;
  uint64_t last_node, last_entry;
  /// The names that have changed, and may change back in a crash; the latest is first.
  struct change *changes;
  int change_count;
  /// What is watched of its files.
  struct notice *notices;
  /// What joins the two events of a rename.
  uint32_t last_rename;
  /// How many bytes are on the disk, and how many have room; 0 if that isn't limited.
  uint64_t disk_used, disk_limit;
  /// How many bytes of a file one call moves; 0 if that isn't limited.
  uint64_t move_limit;
  bool is_disk_broken;
  /// The calls that fail when their turn comes.
  struct plan *plans;
  /// Whether nothing of it runs, and nothing arrives at it.
  bool is_paused;
  /// By the number of the other host.
  struct link links[MOST_HOSTS];
  /// Whether it has no power.
  bool is_down;
};

enum { USUAL_RATE = 1000000000 };
/// What a clock of the host shows that has shown `start` at the host's moment `since`.
uint64_t host_clock(const struct sim_host *host, uint64_t start);
/// The world's moment at which it shows `moment`.
uint64_t host_moment(const struct sim_host *host, uint64_t start, uint64_t moment);
/// How long a time by the host's clocks takes in the world.
uint64_t host_span(const struct sim_host *host, uint64_t span);

void library_find(void);
void library_enter(struct process *process);
void library_leave(void);
/// Whether libuv is a shared library.
bool library_is_found(void);
/// What a thread runs.
struct start {
  sim_body body;
  void *context;
};

/// Whether a world has begun and not ended, seen from outside.
bool world_runs(void);
/// Whether that is one of libuv's variables.
bool library_has(const void *address);
/// Whether a call came from the code of libuv.
bool library_calls(const void *caller);
void library_prepare(struct process *process);

// MARK: Processes

/// A program that hosts may start.
struct program {
  struct program *next;
  char *name;
  sim_program body;
  void *context;
};

/// Whether the calling thread is one of a process of the simulation. The world's own threads aren't, and a program that is run
/// as it is has the number and the signals of the process that carries it.
#define IS_PROCESS (IS_SIMULATED && !kernel.options.keeps_disk && sim_self->host->number > 0)

/// A process that runs nothing yet.
struct process *process_make(struct sim_host *host, struct process *parent);
/// Ends it, with a status as `waitpid` gives it. If it is the host's own, the host has another one afterwards.
void process_end(struct process *process, int status);
/// Its main thread has ended, with which a program's process ends that a host has started.
void process_main_ended(struct process *process);
/// Whether the signal does so.
bool signal_ends(const struct process *process, int signal);
/// Sends it one that doesn't end it.
void process_signal(struct process *process, int signal);
void processes_free(struct sim_host *host);
void programs_free(void);
