// The service manager that watches this process, and sockets that another process has passed to it.
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

bool cuv_is_listening(int fd) {
  int on = 0;
  socklen_t size = sizeof on;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on;
}

int cuv_close_on_exec(int fd) {
  return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? uv_translate_sys_error(errno) : 0;
}

int cuv_getsockname(int fd, struct sockaddr *address, int *length) {
  socklen_t size = (socklen_t)*length;
  if (getsockname(fd, address, &size) < 0) return uv_translate_sys_error(errno);
  *length = (int)size;
  return 0;
}

int cuv_socket_path(int fd, char *path, size_t size) {
  struct sockaddr_un address = {.sun_family = AF_UNSPEC};
  socklen_t length = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) return uv_translate_sys_error(errno);
  if (address.sun_family != AF_UNIX || length <= offsetof(struct sockaddr_un, sun_path)) return UV_EINVAL;
  size_t count = strnlen(address.sun_path, length - offsetof(struct sockaddr_un, sun_path));
  if (count == 0) return UV_EINVAL;
  if (count >= size) return UV_ENAMETOOLONG;
  memcpy(path, address.sun_path, count);
  path[count] = 0;
  return 0;
}

void cuv_say_ready(int fd) {
  // The predecessor may have ended meanwhile, which changes nothing.
  while (send(fd, "1", 1, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
  close(fd);
}

int cuv_bind_path(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return UV_ENAMETOOLONG;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return uv_translate_sys_error(errno);
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  // libuv says the same on every system about a directory that isn't there.
  int code = errno == ENOENT ? UV_EACCES : uv_translate_sys_error(errno);
  close(fd);
  return code;
}
