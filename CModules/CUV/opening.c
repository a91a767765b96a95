// Opening files without waiting for anybody. `open` waits at a FIFO for the other end, and some devices wait for
// their peer. Nothing can end that wait of a thread of the pool, and the pool has four.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>

/// The error for something that isn't a file, by its status; 0 if it may be opened.
static int kind(const struct stat *status) {
  if (S_ISFIFO(status->st_mode)) return CUV_IS_FIFO;
  if (S_ISSOCK(status->st_mode)) return CUV_IS_SOCKET;
  return 0;
}

int cuv_judge_opened(const char *path, int fd) {
  struct stat status;
  if (fd >= 0) {
    int code = fstat(fd, &status) == 0 ? kind(&status) : 0;
    if (code == 0) return fd;
    close(fd);
    return code;
  }
  // A FIFO that is opened for writing and has no reader, and every socket.
  if (fd == UV_ENXIO && stat(path, &status) == 0 && kind(&status) != 0) return kind(&status);
  return fd;
}

static int plain_open(const char *path, int flags, int mode) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd < 0 ? uv_translate_sys_error(errno) : fd;
}

int cuv_open_file(const char *path, int flags, int mode) {
  int fd = plain_open(path, flags | O_NONBLOCK, mode);
  // Another process holds a lease on the file, which the system takes away after some seconds.
  if (fd == UV_EAGAIN) fd = plain_open(path, flags, mode);
  return cuv_judge_opened(path, fd);
}
