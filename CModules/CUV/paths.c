// Unix domain sockets: their paths, and the files that they leave behind.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/// A Unix domain socket that isn't inherited, or -1.
static int local_socket(int type) {
#ifdef SOCK_CLOEXEC
  return socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
#else
  int fd = socket(AF_UNIX, type, 0);
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
#endif
}

/// Fills in the address of a path; an error number if that is too long.
static int set_path(struct sockaddr_un *address, const char *path) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address->sun_path) return ENAMETOOLONG;
  strcpy(address->sun_path, path);
  return 0;
}

/// Asks whether a socket is bound to a path, with a socket of another kind: a listener's peer would see a
/// connection that ends at once. The system refuses if no process has the socket any more (ECONNREFUSED), and
/// otherwise for the kind (EPROTOTYPE). Returns an error number.
static int probe(int fd, const char *path) {
  struct sockaddr_un address;
  if (set_path(&address, path)) return ENAMETOOLONG;
  return connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

int cuv_remove_stale_socket(const char *path) {
  struct stat before, after;
  if (lstat(path, &before) < 0) return errno == ENOENT ? 0 : uv_translate_sys_error(errno);
  if (!S_ISSOCK(before.st_mode)) return UV_EADDRINUSE;
  int fd = local_socket(SOCK_DGRAM);
  if (fd < 0) return uv_translate_sys_error(errno);
  int answer = probe(fd, path);
  close(fd);
  if (answer == ENOENT) return 0;
  if (answer == EACCES || answer == EPERM) return UV_EACCES;
  if (answer != ECONNREFUSED) return UV_EADDRINUSE;
  // Another program may have replaced the file meanwhile.
  if (lstat(path, &after) < 0) return errno == ENOENT ? 0 : uv_translate_sys_error(errno);
  if (after.st_dev != before.st_dev || after.st_ino != before.st_ino) return UV_EADDRINUSE;
  return unlink(path) < 0 && errno != ENOENT ? uv_translate_sys_error(errno) : 0;
}

int cuv_socket_path(int fd, char *path, size_t size, bool is_abstract) {
  struct sockaddr_un address = {.sun_family = AF_UNSPEC};
  socklen_t length = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) return uv_translate_sys_error(errno);
  if (address.sun_family != AF_UNIX || length <= offsetof(struct sockaddr_un, sun_path)) return UV_EINVAL;
  size_t limit = length - offsetof(struct sockaddr_un, sun_path);
  bool has_name = is_abstract && limit > 1 && address.sun_path[0] == 0;
  if (has_name) address.sun_path[0] = '@';
  size_t count = strnlen(address.sun_path, limit);
  if (count == 0 || (is_abstract && !has_name)) return UV_EINVAL;
  if (count >= size) return UV_ENAMETOOLONG;
  memcpy(path, address.sun_path, count);
  path[count] = 0;
  return 0;
}

/// A stream socket that is bound to an address, or a libuv error code.
static int bind_to(const struct sockaddr_un *address, socklen_t length) {
  int fd = local_socket(SOCK_STREAM);
  if (fd < 0) return uv_translate_sys_error(errno);
  if (bind(fd, (const struct sockaddr *)address, length) == 0) return fd;
  // libuv says the same on every system about a directory that isn't there.
  int code = errno == ENOENT ? UV_EACCES : uv_translate_sys_error(errno);
  close(fd);
  return code;
}

int cuv_bind_path(const char *path) {
  struct sockaddr_un address;
  return set_path(&address, path) ? UV_ENAMETOOLONG : bind_to(&address, sizeof address);
}

#ifdef __linux__
/// Fills in the address of an abstract name. Returns its length, which is a part of the name, or 0 if that is too long.
static socklen_t set_abstract_name(struct sockaddr_un *address, const char *name) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length >= sizeof address->sun_path) return 0;
  memcpy(address->sun_path + 1, name, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

int cuv_bind_abstract_name(const char *name) {
  struct sockaddr_un address;
  socklen_t length = set_abstract_name(&address, name);
  return length ? bind_to(&address, length) : UV_ENAMETOOLONG;
}

int cuv_connect_abstract_name(const char *name) {
  struct sockaddr_un address;
  socklen_t length = set_abstract_name(&address, name);
  if (!length) return UV_ENAMETOOLONG;
  int fd = local_socket(SOCK_STREAM | SOCK_NONBLOCK);
  if (fd < 0) return uv_translate_sys_error(errno);
  int code;
  // The system connects at once, or refuses because too many wait.
  do code = connect(fd, (struct sockaddr *)&address, length);
  while (code < 0 && errno == EINTR);
  if (code == 0) return fd;
  code = uv_translate_sys_error(errno);
  close(fd);
  return code;
}
#else
int cuv_bind_abstract_name(const char *name) {
  (void)name;
  return UV_ENOTSUP;
}

int cuv_connect_abstract_name(const char *name) {
  (void)name;
  return UV_ENOTSUP;
}
#endif
