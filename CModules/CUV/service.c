// This process's messages to the service manager that watches it, and to its predecessor.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>
#include <stddef.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

int cuv_notify(const char *path, const void *text, size_t length) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t size = strlen(path);
  if ((path[0] != '/' && path[0] != '@') || size < 2) return UV_EINVAL;
  if (size >= sizeof address.sun_path) return UV_ENAMETOOLONG;
  memcpy(address.sun_path, path, size);
  // A name that isn't a file begins with a NUL, and has none at its end.
  if (path[0] == '@') address.sun_path[0] = 0;
  socklen_t used = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + (path[0] == '/'));
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return uv_translate_sys_error(errno);
  ssize_t sent = -1;
  // The loop's thread must not wait for a manager that doesn't read.
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
    do sent = sendto(fd, text, length, MSG_NOSIGNAL, (struct sockaddr *)&address, used);
    while (sent < 0 && errno == EINTR);
  }
  int code = sent < 0 ? uv_translate_sys_error(errno) : 0;
  close(fd);
  return code;
}

void cuv_say_ready(int fd) {
  // The predecessor may have ended meanwhile, which changes nothing.
  while (send(fd, "1", 1, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
  close(fd);
}
