// Sockets: accepting, several messages by one call, and bytes from a file.
#define _GNU_SOURCE
#include "cuv.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#include <sys/sendfile.h>

_Static_assert(sizeof(struct cuv_message) == sizeof(struct mmsghdr), "a message is laid out as Linux's");
#endif

int cuv_listen(int fd, int backlog) {
  return listen(fd, backlog) < 0 ? uv_translate_sys_error(errno) : 0;
}

int cuv_accept_from(int fd, struct sockaddr *address, socklen_t *length) {
  int accepted;
  do {
#ifdef __linux__
    accepted = accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    accepted = accept(fd, address, length);
    if (accepted >= 0) fcntl(accepted, F_SETFD, FD_CLOEXEC);
#endif
  } while (accepted < 0 && errno == EINTR);
  return accepted < 0 ? uv_translate_sys_error(errno) : accepted;
}

int cuv_accept(int fd) { return cuv_accept_from(fd, NULL, NULL); }

int cuv_reuse_port(int fd) {
  int on = 1;
  return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0 ? uv_translate_sys_error(errno) : 0;
}

bool cuv_reuses_port(int fd) {
  int is_on = 0;
  socklen_t size = sizeof is_on;
  return getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &is_on, &size) == 0 && is_on;
}

int cuv_getpeername(int fd, struct sockaddr *address, int *length) {
  socklen_t size = (socklen_t)*length;
  if (getpeername(fd, address, &size) < 0) return uv_translate_sys_error(errno);
  *length = (int)size;
  return 0;
}

static int set(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) < 0 ? uv_translate_sys_error(errno) : 0;
}

int cuv_set_user_timeout(int fd, int milliseconds) {
#ifdef TCP_USER_TIMEOUT
  return set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
#else
  (void)fd, (void)milliseconds, (void)set;
  return UV_ENOTSUP;
#endif
}

int cuv_set_fast_open(int fd, int count) {
#ifdef TCP_FASTOPEN
  return set(fd, IPPROTO_TCP, TCP_FASTOPEN, count);
#else
  (void)fd, (void)count, (void)set;
  return UV_ENOTSUP;
#endif
}

int cuv_tcp_information(int fd, struct cuv_tcp_information *found) {
#ifdef __linux__
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return uv_translate_sys_error(errno);
  found->round_trip = info.tcpi_rtt;
  found->variation = info.tcpi_rttvar;
  found->retransmissions = info.tcpi_total_retrans;
  found->window = (uint64_t)info.tcpi_snd_cwnd * info.tcpi_snd_mss;
  return 0;
#elif defined(TCP_CONNECTION_INFO)
  struct tcp_connection_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &length) < 0) return uv_translate_sys_error(errno);
  found->round_trip = info.tcpi_srtt * 1000;
  found->variation = info.tcpi_rttvar * 1000;
  found->retransmissions = info.tcpi_txretransmitpackets;
  found->window = info.tcpi_snd_cwnd;
  return 0;
#else
  (void)fd, (void)found;
  return UV_ENOTSUP;
#endif
}

int cuv_peer_credentials(int fd, struct cuv_peer_credentials *found) {
#ifdef SO_PEERCRED
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return uv_translate_sys_error(errno);
  // What Linux answers for a socket that isn't connected.
  if (peer.uid == (uid_t)-1) return UV_ENOTCONN;
  *found = (struct cuv_peer_credentials){peer.pid, peer.uid, peer.gid};
  return 0;
#elif defined(__APPLE__) || defined(__FreeBSD__)
  *found = (struct cuv_peer_credentials){0};
  uid_t user;
  gid_t group;
  if (getpeereid(fd, &user, &group) < 0) return uv_translate_sys_error(errno);
  found->user = user;
  found->group = group;
#ifdef LOCAL_PEERPID
  pid_t process = 0;
  socklen_t length = sizeof process;
  if (getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &process, &length) == 0) found->process = process;
#endif
  return 0;
#else
  (void)fd, (void)found;
  return UV_ENOTSUP;
#endif
}

int cuv_getsockname(int fd, struct sockaddr *address, int *length) {
  socklen_t size = (socklen_t)*length;
  if (getsockname(fd, address, &size) < 0) return uv_translate_sys_error(errno);
  *length = (int)size;
  return 0;
}

bool cuv_is_listening(int fd) {
  int on = 0;
  socklen_t size = sizeof on;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on;
}

bool cuv_is_dual_stack(int fd) {
  int is_only = 1;
  socklen_t size = sizeof is_only;
  return getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &is_only, &size) == 0 && !is_only;
}

int cuv_serve_both_families(int fd) { return set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0); }

int cuv_family(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) < 0) return uv_translate_sys_error(errno);
  return address.ss_family;
}

static int set_for_ipv4(int fd, int option, int value) {
#ifdef __linux__
  return set(fd, IPPROTO_IP, option, value);
#else
  (void)fd, (void)option, (void)value;
  return 0;
#endif
}

int cuv_set_ttl(int fd, int hops) { return set_for_ipv4(fd, IP_TTL, hops); }
int cuv_set_multicast_ttl(int fd, int hops) { return set_for_ipv4(fd, IP_MULTICAST_TTL, hops); }
int cuv_set_multicast_loop(int fd, bool is_on) { return set_for_ipv4(fd, IP_MULTICAST_LOOP, is_on); }

int cuv_send_messages(int fd, struct cuv_message *messages, unsigned int count) {
  int done;
  do {
#ifdef __linux__
    done = sendmmsg(fd, (struct mmsghdr *)messages, count, 0);
#else
    ssize_t size = sendmsg(fd, &messages->header, 0);
    if (size >= 0) messages->count = (unsigned int)size;
    done = size < 0 ? -1 : 1;
#endif
  } while (done < 0 && errno == EINTR);
  return done < 0 ? uv_translate_sys_error(errno) : done;
}

int cuv_receive_messages(int fd, struct cuv_message *messages, unsigned int count) {
  int done;
  do {
#ifdef __linux__
    done = recvmmsg(fd, (struct mmsghdr *)messages, count, 0, NULL);
#else
    ssize_t size = recvmsg(fd, &messages->header, 0);
    if (size >= 0) messages->count = (unsigned int)size;
    done = size < 0 ? -1 : 1;
#endif
  } while (done < 0 && errno == EINTR);
  return done < 0 ? uv_translate_sys_error(errno) : done;
}

#ifdef __linux__
/// Sends to a terminal that blocks, such as the controlling side of a pseudo-terminal, which can't be opened anew.
/// A call for more than there is room for keeps its thread until somebody reads, and can't be interrupted. A
/// terminal that says that it has room takes this many bytes.
static ssize_t cuv_sendfile_to_terminal(struct cuv_sendfile_job *job) {
  enum { part = 1024, most = 65536, milliseconds = 50 };
  size_t sent = 0, count = job->count < most ? job->count : most;
  off_t offset = job->offset;
  while (sent < count) {
    struct pollfd terminal = {.fd = job->socket, .events = POLLOUT};
    int ready = poll(&terminal, 1, sent ? 0 : milliseconds);
    if (ready == 0) return sent ? (ssize_t)sent : UV_EAGAIN;
    // It is full, and nobody has the other side open any more.
    if (ready > 0 && !(terminal.revents & POLLOUT)) return sent ? (ssize_t)sent : UV_EIO;
    ssize_t more = ready;
    if (ready > 0) more = sendfile(job->socket, job->file, &offset, count - sent < part ? count - sent : part);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0 && sent == 0) return uv_translate_sys_error(errno);
    if (more <= 0) break;
    sent += (size_t)more;
  }
  return (ssize_t)sent;
}
#endif

static void cuv_sendfile_job_run(uv_work_t *work) {
  struct cuv_sendfile_job *job = (struct cuv_sendfile_job *)work;
  // One call carries a little less than 2 GiB.
  size_t count = job->count > 0x40000000 ? 0x40000000 : job->count;
  ssize_t sent;
#ifdef __linux__
  if (job->is_terminal) {
    job->result = cuv_sendfile_to_terminal(job);
    return;
  }
  do {
    off_t offset = job->offset;
    sent = sendfile(job->socket, job->file, &offset, count);
  } while (sent < 0 && errno == EINTR);
#else
  off_t length = (off_t)count;
  sent = sendfile(job->file, job->socket, job->offset, &length, NULL, 0);
  if (sent == 0 || length > 0) sent = (ssize_t)length;
#endif
  job->result = sent < 0 ? uv_translate_sys_error(errno) : sent;
}

int cuv_sendfile_job_queue(uv_loop_t *loop, struct cuv_sendfile_job *job, uv_after_work_cb done) {
  return uv_queue_work(loop, &job->work, cuv_sendfile_job_run, done);
}

#ifdef __linux__
int cuv_memory_file(const void *bytes, size_t count) {
  int file = memfd_create("swift-uv", MFD_CLOEXEC);
  if (file < 0) return uv_translate_sys_error(errno);
  if (pwrite(file, bytes, count, 0) == (ssize_t)count) return file;
  close(file);
  return UV_ENOMEM;
}

int cuv_try_send_file(uv_stream_t *stream, const void *head, size_t count, int file, size_t file_count) {
  uv_os_fd_t socket;
  int code = uv_fileno((uv_handle_t *)stream, &socket);
  if (code < 0) return code;
  if (cuv_write_queue_size(stream) > 0) return UV_EAGAIN;
  struct iovec part = {.iov_base = (void *)head, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t sent, more;
  // The head leaves in one packet with what follows.
  do sent = sendmsg(socket, &message, MSG_MORE | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return uv_translate_sys_error(errno);
  if ((size_t)sent < count) return (int)sent;
  off_t offset = 0;
  do more = sendfile(socket, file, &offset, file_count);
  while (more < 0 && errno == EINTR);
  // An error of the socket is the next call's, too.
  return (int)(sent + (more < 0 ? 0 : more));
}
#else
int cuv_memory_file(const void *bytes, size_t count) {
  (void)bytes, (void)count;
  return UV_ENOSYS;
}

int cuv_try_send_file(uv_stream_t *stream, const void *head, size_t count, int file, size_t file_count) {
  (void)stream, (void)head, (void)count, (void)file, (void)file_count;
  return UV_EAGAIN;
}
#endif
