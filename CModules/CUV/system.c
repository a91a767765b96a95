// Threads, descriptors, and what a loop is set up with.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

__thread void *cuv_thread_slot_place;

int cuv_is_main_thread(void) {
#ifdef __linux__
  return getpid() == (pid_t)syscall(SYS_gettid);
#else
  return pthread_main_np();
#endif
}

void cuv_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name);
#elif defined(__APPLE__)
  pthread_setname_np(name);
#endif
}

void cuv_ignore_sigpipe(void) {
  struct sigaction old;
  if (sigaction(SIGPIPE, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
    signal(SIGPIPE, SIG_IGN);
}

void cuv_unblock_signal(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int cuv_readable_bytes(int fd) {
  int count = 0;
  return ioctl(fd, FIONREAD, &count) < 0 ? 0 : count;
}

/// A simulation of several processes in one has a copy for each, and finds it by its name.
void *cuv_process_variables[3];

void *cuv_process_variable(int slot, void *made) {
  void *there = NULL;
  bool was_free = __atomic_compare_exchange_n(
    &cuv_process_variables[slot], &there, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return was_free ? made : there;
}

bool cuv_can_be_read(int fd) {
  struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
  return poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLIN;
}

bool cuv_is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

int cuv_close_on_exec(int fd) {
  return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? uv_translate_sys_error(errno) : 0;
}

int cuv_duplicate(int fd) {
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  return duplicate < 0 ? uv_translate_sys_error(errno) : duplicate;
}

int cuv_replace(int place, int fd) {
  if (dup2(fd, place) < 0 || fcntl(place, F_SETFD, FD_CLOEXEC) < 0) return uv_translate_sys_error(errno);
  return 0;
}

int cuv_set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return uv_translate_sys_error(errno);
  return 0;
}

int cuv_set_blocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) return uv_translate_sys_error(errno);
  return 0;
}

int cuv_open_flags(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 ? uv_translate_sys_error(errno) : flags;
}

bool cuv_is_blocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

void cuv_fill_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (!cuv_is_open(fd) && open("/dev/null", O_RDWR) < 0) return;
}

int cuv_reopen(int fd, int flags) {
#ifdef __linux__
  char path[32];
  struct stat status;
  int number;
  // Opening the controlling side of a terminal makes another terminal.
  if (fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && ioctl(fd, TIOCGPTN, &number) == 0) return UV_ENOTSUP;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int other = open(path, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return other < 0 ? uv_translate_sys_error(errno) : other;
#else
  (void)fd, (void)flags;
  return UV_ENOTSUP;
#endif
}

bool cuv_is_datagram_socket(int fd) {
  int type;
  socklen_t length = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_DGRAM;
}

size_t cuv_socket_path_limit(void) {
  struct sockaddr_un address;
  return sizeof address.sun_path - 1;
}

int cuv_add_permissions(const char *path, mode_t permissions) {
  struct stat status;
  if (stat(path, &status) < 0 || chmod(path, (status.st_mode & 07777) | permissions) < 0)
    return uv_translate_sys_error(errno);
  return 0;
}

int cuv_close(int fd) { return close(fd) < 0 && errno != EINTR ? uv_translate_sys_error(errno) : 0; }

#ifdef __linux__
int cuv_eventfd(void) {
  int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

void cuv_eventfd_signal(int fd) {
  uint64_t one = 1;
  while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {}
}

void cuv_eventfd_clear(int fd) {
  uint64_t count;
  while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {}
}
#endif

int cuv_loop_block_signal(uv_loop_t *loop, int signal) {
  return uv_loop_configure(loop, UV_LOOP_BLOCK_SIGNAL, signal);
}

int cuv_loop_measure_idle_time(uv_loop_t *loop) {
  return uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

const char *cuv_handle_type_name(uv_handle_type type) {
  switch (type) {
#define CUV_NAME(upper, lower)                                                                               \
  case UV_##upper: return #lower;
    UV_HANDLE_TYPE_MAP(CUV_NAME)
#undef CUV_NAME
    case UV_FILE: return "file";
    default: return NULL;
  }
}

const void *cuv_find_long(const void *bytes, size_t count, const void *pattern, size_t length) {
  return memmem(bytes, count, pattern, length);
}

bool cuv_find_task_place(
    const void *context, const void *task, const char **file, uint32_t *length, uint32_t *line) {
  const struct cuv_task_places *places = (const struct cuv_task_places *)context;
  if (!places->slots || __atomic_load_n(&places->is_changing, __ATOMIC_RELAXED)) return false;
  uint64_t mask = ((uint64_t)1 << places->bits) - 1;
  uint64_t index = ((uint64_t)(uintptr_t)task * 0x9E3779B97F4A7C15) >> (64 - places->bits);
  for (; places->slots[index].key; index = (index + 1) & mask) {
    const struct cuv_task_slot *slot = &places->slots[index];
    if (slot->key != task) continue;
    *file = slot->file;
    *length = slot->length;
    *line = slot->line;
    return true;
  }
  return false;
}
