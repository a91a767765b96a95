/// A kernel of its own for the threads of a simulation: functions of libc's that libuv, the Swift runtime and the library
/// call are defined here. A call from a thread of the simulation is answered from a seed; every other call goes on to libc.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A moment that never comes.
#define SIM_NEVER UINT64_MAX

struct sim_host;

typedef void (*sim_body)(void *context);
/// A program that hosts may start: it gets its arguments, its name first, and returns its exit code.
typedef int (*sim_program)(void *context, int count, char *const *arguments);

struct sim_options {
  uint64_t seed;
  /// Nanoseconds of virtual time after which the world ends.
  uint64_t limit;
  /// How many of the last entries of the trace are kept; a power of two.
  uint32_t trace_capacity;
  /// The numbers of the faults that happen, in order; null if all do. A fault is what the weather does to one call or packet.
  const uint32_t *faults;
  uint32_t fault_count;
  /// Whether the hosts have the files of the machine, and not a disk of their own.
  bool keeps_disk;
};

/// Why the world's thread goes on.
enum sim_reason {
  /// What it waited for has happened.
  SIM_WOKEN,
  SIM_TIMED_OUT,
  /// Nothing can run, and nothing is due.
  SIM_STUCK,
  /// The world has reached its limit.
  SIM_LIMIT,
  /// Something was done that can't be simulated; see `sim_failure`.
  SIM_FAILED,
  /// A signal has come. Only the kernel knows of it.
  SIM_INTERRUPTED,
};

/// Why the program can't run worlds, because of how it was linked; null if it can.
const char *sim_linkage_problem(void);

/// Prints the calling functions to a descriptor, also from a signal handler if it was called before; with -1 it prints nothing.
void sim_print_backtrace(int descriptor);

/// Makes the calling thread the one that carries a world, and waits until no other does. Returns false on a thread of a
/// simulation: worlds aren't nested.
bool sim_begin(const struct sim_options *options);

/// Runs `body` on the world's own thread, and with it the hosts that it adds. Returns when it has returned: then everything
/// that is left of the hosts is dropped. Returns false if the world ended before.
bool sim_run(sim_body body, void *context);

/// Lets go of the world, and of what is said of it below.
void sim_end(void);

/// What can't be simulated and was done; null if nothing.
const char *sim_failure(void);

/// Ends the world with such a text, unless there is one already.
void sim_fail(const char *text);

/// Nanoseconds since the world began.
uint64_t sim_now(void);

/// How many calls were answered.
uint64_t sim_steps(void);

/// A number that depends on all calls and their results.
uint64_t sim_digest(void);

/// How many faults were due, counting those that `faults` has left out.
uint32_t sim_faults(void);

// MARK: On the threads of a simulation

/// Calls `check` whenever another thread is about to go on. It waits for nothing.
void sim_set_check(sim_body check, void *context);

/// Starts another thread of the world's own.
void sim_world_start(sim_body body, void *context);

/// Lets time pass.
void sim_sleep(uint64_t nanoseconds);

/// Whether the calling thread is one of a simulation.
bool sim_is_simulated(void);

/// Adds a host that runs nothing yet.
struct sim_host *sim_host_add(const char *name);

/// Starts a thread of the host; it is the host's main thread.
void sim_host_start(struct sim_host *host, sim_body body, void *context);

/// Has processes of all hosts find a program of that name, or of that path if there is a slash in it.
void sim_program_add(const char *name, sim_program body, void *context);

/// Whether the host's main thread has ended, or hasn't been started.
bool sim_host_has_ended(const struct sim_host *host);

/// Drops everything that the host does and has, as if its machine had lost its power.
void sim_host_crash(struct sim_host *host);

/// Ends the process of the host, while its machine goes on: peers are notified, files stay, and programs that it has started go on.
void sim_host_kill(struct sim_host *host);

/// The last part of its addresses; 0 is the world's own thread.
uint8_t sim_host_number(const struct sim_host *host);

/// How many descriptors its program has open, without the standard ones.
int sim_host_descriptors(const struct sim_host *host);

/// Whether Swift's global pool has something to do on the calling thread's host.
bool sim_pool_is_busy(void);

/// Writes a file of the host's.
void sim_host_write(struct sim_host *host, const char *path, const void *bytes, size_t size);

/// Has calls about the host's files fail with EIO, until that is ended.
void sim_host_break_disk(struct sim_host *host, bool is_broken);

/// Limits how many bytes the host's files may have; 0 ends that.
void sim_host_limit_disk(struct sim_host *host, uint64_t bytes);

/// Limits how many bytes of a file one call moves; 0 ends that.
void sim_host_limit_moves(struct sim_host *host, uint64_t bytes);

/// Limits how many descriptors the host may have; 0 ends that.
void sim_host_limit(struct sim_host *host, int descriptors);

/// Has calls of that name fail on the host: `times` of them, after `after` others. Returns false if no call of that name can.
bool sim_host_plan(struct sim_host *host, const char *call, uint64_t after, uint64_t times, int error);

/// Stops the machine, or has it go on: nothing of it runs meanwhile, what is sent to it is lost, and its clocks go on.
void sim_host_pause(struct sim_host *host, bool is_paused);

/// Has the host's clocks go faster or slower, in billionths of their usual speed.
void sim_host_set_rate(struct sim_host *host, uint64_t rate);

/// Sets the date of the host forward or back.
void sim_host_move_date(struct sim_host *host, int64_t nanoseconds);

/// Sends the host's process a signal. Returns false if that ends the process, because it has no handler.
bool sim_host_signal(struct sim_host *host, int signal);

// MARK: The network

/// How bad the network is. Times are in nanoseconds, chances in millionths.
struct sim_weather {
  uint64_t latency, jitter;
  uint64_t cut, loss, duplication;
  uint64_t interruption, refusal;
  uint64_t unsynced_loss, disk_error;
  /// The most bytes that a link carries in a second, each way; 0 if that isn't limited. How many it does, at least half of that, is drawn.
  uint64_t bandwidth;
};

/// Sets that for all links, and for all calls.
void sim_set_weather(const struct sim_weather *weather);

/// Nothing arrives from one host at another while the link is cut; what is sent is sent again.
void sim_link_cut(struct sim_host *from, struct sim_host *to, bool is_cut);

/// Whatever is sent from one host to another waits while the link is held.
void sim_link_hold(struct sim_host *from, struct sim_host *to, bool is_held);

void sim_link_delay(struct sim_host *from, struct sim_host *to, uint64_t latency, uint64_t jitter);

/// Sets how many bytes a link carries in a second; 0 if that isn't limited.
void sim_link_limit(struct sim_host *from, struct sim_host *to, uint64_t bandwidth);

/// How long questions for names take, and whether they fail.
void sim_set_names(uint64_t latency, uint64_t jitter, bool is_failing);

/// The host of the calling thread.
struct sim_host *sim_host_current(void);

/// Has the calling thread belong to another host for the call of `body`, which waits for nothing.
void sim_host_call(struct sim_host *host, sim_body body, void *context);

/// Waits until a main thread ends, `sim_notify` is called or the moment `deadline` comes. The world's thread alone.
enum sim_reason sim_wait(uint64_t deadline);

/// Has `sim_wait` return.
void sim_notify(void);

/// A number below `bound`, from the stream of that name.
uint64_t sim_draw(const char *name, uint64_t bound);

/// Writes down what the threads of the hosts wait for, a line for each. Returns the length of the whole text.
size_t sim_describe_waits(char *text, size_t size);

// MARK: The trace

struct sim_entry {
  /// Nanoseconds since the world began.
  uint64_t time;
  /// A hash of the bytes that were passed, and of other arguments.
  uint64_t bytes;
  /// What the call returned; an error is negative.
  int64_t result;
  int32_t descriptor;
  uint16_t call;
  /// 0 is the world.
  uint8_t host;
  uint8_t thread;
};

/// How many entries are kept.
size_t sim_trace_count(void);

/// The number of the first entry that is kept, counted from 0.
uint64_t sim_trace_first(void);

/// One of those, by its index; the oldest is 0.
struct sim_entry sim_trace_entry(size_t index);

/// The name of a call.
const char *sim_call_name(uint16_t call);

/// The name of a host by its number in entries.
const char *sim_host_name_of(uint8_t number);

/// Calls a function that isn't simulated, with zeros, if the calling thread is of a simulation: for tests. `number` counts them from 0.
/// Returns its name, or NULL if there is none.
const char *sim_call_absent(size_t number);

#ifdef __cplusplus
}
#endif
