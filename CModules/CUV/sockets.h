// Sockets: what libuv has no function for, or one that this library can't use. They are in sockets.c, paths.c and service.c.
#pragma once

#include <uv.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// Without a spare descriptor libuv 1.45 and later accept again and again, and notify nobody; and a listening
// socket of libuv's cannot rest without being closed. So a listener's socket is polled, and its connections
// are accepted here.
int cuv_listen(int fd, int backlog);
/// A connection's descriptor, which isn't inherited, or a libuv error code. Fills in the peer's address if
/// there is room for it.
int cuv_accept_from(int fd, struct sockaddr *address, socklen_t *length);
int cuv_accept(int fd);

int cuv_reuse_port(int fd);

/// The same as `uv_tcp_getpeername` and `uv_tcp_getsockname`, for a descriptor that libuv doesn't know yet.
int cuv_getpeername(int fd, struct sockaddr *address, int *length);
int cuv_getsockname(int fd, struct sockaddr *address, int *length);
/// The path that a Unix domain socket is bound to, with its NUL at the end; or its abstract name, which begins with a
/// `@` in the place of a NUL. Fails if there is none.
int cuv_socket_path(int fd, char *path, size_t size, bool is_abstract);
/// A Unix domain socket that is bound to a path, or a libuv error code. libuv's own function would remove the
/// file when the socket closes, even if another process has taken the socket over.
int cuv_bind_path(const char *path);
/// A Unix domain socket that is bound or connected to a name without a file, which libuv knows only from 1.46 on; or a
/// libuv error code. Only Linux has such names.
int cuv_bind_abstract_name(const char *name);
int cuv_connect_abstract_name(const char *name);
bool cuv_is_listening(int fd);
/// Whether an IPv6 socket serves IPv4, too.
bool cuv_is_dual_stack(int fd);
/// Has an IPv6 socket that isn't bound yet serve IPv4, too.
int cuv_serve_both_families(int fd);
/// The family of a socket's addresses, or a libuv error code.
int cuv_family(int fd);
/// The options of IPv4 of a socket that serves both families. Only Linux has them apart from those of IPv6.
int cuv_set_ttl(int fd, int hops);
int cuv_set_multicast_ttl(int fd, int hops);
int cuv_set_multicast_loop(int fd, bool is_on);
/// Whether other sockets may listen at the same address.
bool cuv_reuses_port(int fd);

/// Sends a text to the service manager, by the socket that it has named. Doesn't wait.
int cuv_notify(const char *path, const void *text, size_t length);
/// Notifies the predecessor of this process that it is ready, and closes the socket to it.
void cuv_say_ready(int fd);

/// How long written bytes may wait for the peer's acknowledgement; 0 for the system's own limit.
int cuv_set_user_timeout(int fd, int milliseconds);
/// How many connections that sent bytes with their first packet may wait to be accepted.
int cuv_set_fast_open(int fd, int count);

/// The system's figures about a TCP connection. Times are in microseconds, the congestion window in bytes.
struct cuv_tcp_information {
  uint32_t round_trip, variation;
  uint64_t retransmissions, window;
};
int cuv_tcp_information(int fd, struct cuv_tcp_information *found);

/// The peer of a Unix domain socket. The process is 0 if the system doesn't say.
struct cuv_peer_credentials {
  int32_t process;
  uint32_t user, group;
};
int cuv_peer_credentials(int fd, struct cuv_peer_credentials *found);

/// A message, and how many of its bytes have come or gone; laid out as Linux's `mmsghdr`, which only GNU
/// sources see.
struct cuv_message {
  struct msghdr header;
  unsigned int count;
};

/// Sends messages by one call, and returns how many have gone, or a libuv error code. Where the system has no
/// such call, one.
int cuv_send_messages(int fd, struct cuv_message *messages, unsigned int count);

/// Receives messages that have come by one call; see `cuv_send_messages`.
int cuv_receive_messages(int fd, struct cuv_message *messages, unsigned int count);

/// A file in memory that holds a copy of these bytes and has no name. Returns its descriptor, or a libuv error code: `UV_ENOSYS`
/// where the system has no such files.
int cuv_memory_file(const void *bytes, size_t count);

/// Sends as much of a head, and then of a file from its beginning, as a TCP socket has room for. Returns how many bytes those are,
/// or a libuv error code; as `uv_try_write`, which this is like, `UV_EAGAIN` if there is no room.
int cuv_try_send_file(uv_stream_t *stream, const void *head, size_t count, int file, size_t file_count);

/// Bytes to send from a file to a socket on the thread pool. libuv's own sendfile copies to a socket
/// through a buffer, and keeps the thread waiting as long as the peer doesn't read.
struct cuv_sendfile_job {
  uv_work_t work;
  int socket, file;
  int64_t offset;
  size_t count;
  /// Whether the target is a terminal that blocks. Then the job ends after a while, with UV_EAGAIN if there was no room.
  bool is_terminal;
  ssize_t result;
};
int cuv_sendfile_job_queue(uv_loop_t *loop, struct cuv_sendfile_job *job, uv_after_work_cb done);
