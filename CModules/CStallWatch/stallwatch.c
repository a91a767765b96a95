#define _GNU_SOURCE
#include "stallwatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern char *swift_demangle(const char *name, size_t length, char *output, size_t *size, uint32_t flags);

char *stall_demangle(const char *name, size_t length) { return swift_demangle(name, length, NULL, NULL, 0); }

const void *stall_map_file(const char *path, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  off_t length = lseek(file, 0, SEEK_END);
  void *bytes = length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  *size = (size_t)length;
  return bytes == MAP_FAILED ? NULL : bytes;
}

void stall_unmap_file(const void *bytes, size_t size) { munmap((void *)bytes, size); }

uint64_t stall_now(void) {
#ifdef __APPLE__
  const clockid_t clock = CLOCK_MONOTONIC_RAW;
#else
  const clockid_t clock = CLOCK_MONOTONIC;
#endif
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void *watchdog(void *body) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
#ifdef __linux__
  pthread_setname_np(pthread_self(), "uv-stalls");
#elif defined(__APPLE__)
  pthread_setname_np("uv-stalls");
#endif
  ((void (*)(void))body)();
  return NULL;
}

int stall_start_watchdog(void (*body)(void)) {
  // The thread's code may be an addon's, which a host unloads.
  Dl_info own;
  if (dladdr((void *)&stall_start_watchdog, &own) && own.dli_fname)
    dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  pthread_t thread;
  int code = pthread_create(&thread, NULL, watchdog, (void *)body);
  if (code == 0) pthread_detach(thread);
  return code;
}

const char *stall_exported_name(uintptr_t address) {
#ifdef __linux__
  Dl_info found;
  return dladdr((void *)address, &found) ? found.dli_sname : NULL;
#else
  return (void)address, NULL;
#endif
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <link.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <ucontext.h>

extern void *swift_task_getCurrent(void);

// The handler reads all of a stack, and the sanitizers would call that wrong.
#if defined(__clang__)
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define UNCHECKED
#endif

// MARK: The handler

enum { NOTHING, WANTED, TAKEN, DONE };

/// There is one request at a time. A handler takes one that is wanted of its thread; any other has come too
/// late.
static struct {
  int state;
  int thread;
  const struct stall_turn *turn;
  uint64_t start;
  sem_t done;
  /// How many signals have been sent, and how many have arrived.
  int sent, arrived;
} request;

static struct stall_capture capture;

/// The action that each signal had before.
static struct sigaction before[_NSIG];

static void on_signal(int signal, siginfo_t *info, void *context);

/// The place where the running task was spawned.
UNCHECKED static void find_place(const struct stall_turn *turn) {
  capture.file = NULL;
  const void *task = swift_task_getCurrent();
  if (!task || !turn->find) return;
  if (!turn->find(turn->context, task, &capture.file, &capture.length, &capture.line)) capture.file = NULL;
}

UNCHECKED static void take_registers(const ucontext_t *context) {
#ifdef __x86_64__
  static const int order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; i++) capture.registers[i] = (uintptr_t)context->uc_mcontext.gregs[order[i]];
  capture.pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  capture.sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
  for (int i = 0; i < 31; i++) capture.registers[i] = (uintptr_t)context->uc_mcontext.regs[i];
  capture.registers[31] = (uintptr_t)context->uc_mcontext.sp;
  capture.pc = (uintptr_t)context->uc_mcontext.pc;
  capture.sp = (uintptr_t)context->uc_mcontext.sp;
#endif
}

/// Copies the stack. Code that runs on a stack of its own, as a coroutine does, leaves nothing to copy.
UNCHECKED static void take_stack(const struct stall_turn *turn) {
  capture.count = 0;
  if (capture.sp < turn->low || capture.sp >= turn->high || capture.sp % sizeof(uintptr_t)) return;
  // Volatile, so that no call of `memcpy` comes of it, which a sanitizer would check.
  const volatile uintptr_t *from = (const volatile uintptr_t *)capture.sp;
  size_t count = (turn->high - capture.sp) / sizeof(uintptr_t);
  if (count > STALL_WORDS) count = STALL_WORDS;
  for (size_t i = 0; i < count; i++) capture.words[i] = from[i];
  capture.count = count;
}

/// Hands a signal that isn't ours to the handler that was there before.
static void pass_on(int signal, siginfo_t *info, void *context) {
  const struct sigaction *old = &before[signal];
  if (old->sa_flags & SA_SIGINFO) {
    if (old->sa_sigaction && old->sa_sigaction != on_signal) old->sa_sigaction(signal, info, context);
  } else if (old->sa_handler == SIG_DFL) {
    // The program had not asked for the signal, and ends, as it would have without us.
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    raise(signal);
  } else if (old->sa_handler != SIG_IGN) {
    old->sa_handler(signal);
  }
}

UNCHECKED static void on_signal(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &request) {
    pass_on(signal, info, context);
    errno = saved;
    return;
  }
  __atomic_add_fetch(&request.arrived, 1, __ATOMIC_RELAXED);
  int wanted = WANTED;
  if (__atomic_load_n(&request.thread, __ATOMIC_RELAXED) == (int)syscall(SYS_gettid)
      && __atomic_compare_exchange_n(&request.state, &wanted, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    // The turn may have ended meanwhile; then the thread is somewhere else.
    if (stall_turn_start(request.turn) == request.start) {
      take_registers((const ucontext_t *)context);
      take_stack(request.turn);
      find_place(request.turn);
    } else {
      capture.pc = 0;
    }
    __atomic_store_n(&request.state, DONE, __ATOMIC_RELEASE);
    sem_post(&request.done);
  }
  errno = saved;
}

// MARK: The side of the watchdog

int stall_default_signal(void) { return SIGRTMIN + 6; }

int stall_install(int signal) {
  static bool is_ready;
  if (!is_ready) {
    sem_init(&request.done, 0, 0);
    is_ready = true;
  }
  if (signal <= 0 || signal >= _NSIG) return EINVAL;
  struct sigaction now, action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  if (sigaction(signal, NULL, &now) < 0) return errno;
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) return 0;
  before[signal] = now;
  action.sa_sigaction = on_signal;
  // No other handler comes in between.
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, NULL) < 0 ? errno : 0;
}

void stall_uninstall(int signal) {
  if (__atomic_load_n(&request.arrived, __ATOMIC_RELAXED) != __atomic_load_n(&request.sent, __ATOMIC_RELAXED)) return;
  struct sigaction now;
  // Another handler may have been installed since, and calls ours.
  if (sigaction(signal, NULL, &now) < 0 || !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_signal) return;
  sigaction(signal, &before[signal], NULL);
}

bool stall_send(const struct stall_turn *turn, uint64_t start, int signal) {
  if (!turn->thread) return false;
  while (sem_trywait(&request.done) == 0) {}
  request.turn = turn;
  request.start = start;
  __atomic_store_n(&request.thread, turn->thread, __ATOMIC_RELAXED);
  __atomic_store_n(&request.state, WANTED, __ATOMIC_RELEASE);
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = &request;
  __atomic_add_fetch(&request.sent, 1, __ATOMIC_RELAXED);
  // By the thread's number: a thread that has gone is an error then, and nothing worse.
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), turn->thread, signal, &info) == 0) return true;
  __atomic_sub_fetch(&request.sent, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&request.state, NOTHING, __ATOMIC_RELAXED);
  return false;
}

const struct stall_capture *stall_wait(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  while (sem_timedwait(&request.done, &limit) < 0 && errno == EINTR) {}
  int wanted = WANTED;
  if (__atomic_compare_exchange_n(&request.state, &wanted, NOTHING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
    return NULL;
  // It has begun to answer, and takes microseconds.
  while (__atomic_load_n(&request.state, __ATOMIC_ACQUIRE) != DONE) usleep(100);
  return capture.pc ? &capture : NULL;
}

void stall_turn_bind(struct stall_turn *turn, int signal) {
  // The first call on a thread may allocate the thread's variables. The handler must not.
  swift_task_getCurrent();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  int thread = (int)syscall(SYS_gettid);
  if (turn->thread == thread) return;
  turn->thread = thread;
  turn->low = turn->high = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void *low;
  size_t size;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    turn->low = (uintptr_t)low;
    turn->high = (uintptr_t)low + size;
  }
  pthread_attr_destroy(&attributes);
}

// MARK: Modules

struct search {
  uintptr_t address;
  struct stall_module *module;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct search *search = argument;
  bool is_here = false;
  const uint8_t *table = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = (uintptr_t)info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address - start < header->p_memsz) is_here = true;
    if (header->p_type == PT_GNU_EH_FRAME) table = (const uint8_t *)start;
  }
  if (!is_here) return 0;
  const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
  strncpy(search->module->path, name, sizeof search->module->path - 1);
  search->module->path[sizeof search->module->path - 1] = 0;
  search->module->bias = (uintptr_t)info->dlpi_addr;
  search->module->unwind_table = table;
  return 1;
}

bool stall_find_module(uintptr_t address, struct stall_module *module) {
  struct search search = {address, module};
  return dl_iterate_phdr(visit_module, &search) != 0;
}

#else

int stall_default_signal(void) { return 0; }
int stall_install(int signal) { return (void)signal, 0; }
void stall_uninstall(int signal) { (void)signal; }
bool stall_send(const struct stall_turn *turn, uint64_t start, int signal) {
  return (void)turn, (void)start, (void)signal, false;
}
const struct stall_capture *stall_wait(void) { return NULL; }
void stall_turn_bind(struct stall_turn *turn, int signal) { (void)turn, (void)signal; }
bool stall_find_module(uintptr_t address, struct stall_module *module) { return (void)address, (void)module, false; }

#endif
