// sendmsg, recvmsg and what is made of them.

#include "network.h"
#include "real.h"

#include <string.h>
#include <sys/syscall.h>

static uint64_t hash_parts(const struct iovec *parts, size_t count, ssize_t size) {
  uint64_t hash = 0;
  for (size_t i = 0; i < count && size > 0; i++) {
    size_t length = parts[i].iov_len < (size_t)size ? parts[i].iov_len : (size_t)size;
    hash = hash * 31 + hash_bytes(parts[i].iov_base, length);
    size -= (ssize_t)length;
  }
  return hash;
}

static ssize_t send_once(struct socket *socket, const struct msghdr *message) {
  int count = (int)message->msg_iovlen;
  if (socket->type == SOCK_STREAM) return tcp_kind.write(&socket->file, message->msg_iov, count);
  union address to = {0};
  if (message->msg_name && message->msg_namelen && socket->family != AF_UNIX) {
    int code = address_take(&to, socket->family, message->msg_name, message->msg_namelen);
    if (code < 0) return code;
  }
  return udp_send(socket, message->msg_iov, count, to.any.sa_family ? &to : NULL);
}

static ssize_t send_message(int descriptor, const struct msghdr *message, int flags, const void *caller) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  if (message->msg_controllen && socket->family != AF_UNIX) {
    fail_missing("sendmsg with control data", caller);
    return -ENOSYS;
  }
  if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_CMSG_CLOEXEC)) {
    fail_missing("sendmsg with other flags", caller);
    return -ENOSYS;
  }
  if ((code = planned(CALL_sendmsg)) < 0) return code;
  if (refusal_is_due(&socket->file)) return -EAGAIN;
  struct rights *rights = NULL;
  if (message->msg_controllen && socket->connection) {
    code = rights_take(message, &rights);
    if (code < 0) return code;
  }
  bool waits = !(flags & MSG_DONTWAIT) && !(socket->file.flags & O_NONBLOCK);
  ssize_t sent;
  code = 0;
  file_hold(&socket->file);
  while ((sent = send_once(socket, message)) == -EAGAIN && waits && code == 0)
    code = file_wait(&socket->file, "sendmsg");
  if (waits && kernel.options.keeps_disk && socket->type == SOCK_STREAM)
    sent = tcp_write_rest(socket, message->msg_iov, (int)message->msg_iovlen, sent, "sendmsg");
  if (rights) rights_send(socket, rights, sent);
  file_release(&socket->file);
  return sent == -EAGAIN && code < 0 ? code : sent;
}

static ssize_t receive_once(struct socket *socket, struct msghdr *message, int flags) {
  int count = (int)message->msg_iovlen;
  message->msg_flags = 0;
  if (socket->type == SOCK_STREAM) {
    if (flags & MSG_PEEK) return tcp_peek(socket, message->msg_iov, count);
    return tcp_kind.read(&socket->file, message->msg_iov, count);
  }
  union address from = {0};
  ssize_t size = udp_receive(socket, message->msg_iov, count, &from, &message->msg_flags);
  if (size >= 0 && message->msg_name)
    address_give(&from, message->msg_name, &message->msg_namelen);
  return size;
}

static ssize_t receive_message(int descriptor, struct msghdr *message, int flags, const void *caller) {
  int code;
  struct socket *socket = socket_of(descriptor, &code);
  if (!socket) return code;
  if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_PEEK | MSG_CMSG_CLOEXEC | MSG_WAITFORONE)) {
    fail_missing("recvmsg with other flags", caller);
    return -ENOSYS;
  }
  bool waits = !(flags & MSG_DONTWAIT) && !(socket->file.flags & O_NONBLOCK);
  if ((code = planned(CALL_recvmsg)) < 0) return code;
  if (!(flags & MSG_PEEK) && refusal_is_due(&socket->file)) return -EAGAIN;
  ssize_t size;
  code = 0;
  file_hold(&socket->file);
  while ((size = receive_once(socket, message, flags)) == -EAGAIN && waits && code == 0)
    code = file_wait(&socket->file, "recvmsg");
  if (size == -EAGAIN && code < 0) size = code;
  if (size > 0 && socket->connection && socket->family == AF_UNIX) rights_receive(socket, message, flags);
  else if (size >= 0) message->msg_controllen = 0;
  file_release(&socket->file);
  return size;
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  if (!IS_SIMULATED) return LEFT("sendmsg", descriptor, REAL(sendmsg)(descriptor, message, flags));
  ssize_t sent = send_message(descriptor, message, flags, __builtin_return_address(0));
  return traced(CALL_sendmsg, descriptor, sent, hash_parts(message->msg_iov, message->msg_iovlen, sent));
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
  if (!IS_SIMULATED) return LEFT("recvmsg", descriptor, REAL(recvmsg)(descriptor, message, flags));
  ssize_t size = receive_message(descriptor, message, flags, __builtin_return_address(0));
  return traced(CALL_recvmsg, descriptor, size, hash_parts(message->msg_iov, message->msg_iovlen, size));
}

ssize_t sendto(
    int descriptor, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
  if (!IS_SIMULATED) return LEFT("sendto", descriptor, REAL(sendto)(descriptor, bytes, size, flags, address, length));
  struct iovec part = {(void *)bytes, size};
  struct msghdr message = {.msg_name = (void *)address, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1};
  return sendmsg(descriptor, &message, flags);
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
  if (!IS_SIMULATED) return LEFT("send", descriptor, REAL(send)(descriptor, bytes, size, flags));
  return sendto(descriptor, bytes, size, flags, NULL, 0);
}

ssize_t recvfrom(
    int descriptor, void *restrict bytes, size_t size, int flags, struct sockaddr *restrict address,
    socklen_t *restrict length) {
  if (!IS_SIMULATED) return LEFT("recvfrom", descriptor, REAL(recvfrom)(descriptor, bytes, size, flags, address, length));
  struct iovec part = {bytes, size};
  struct msghdr message = {
      .msg_name = address, .msg_namelen = length ? *length : 0, .msg_iov = &part, .msg_iovlen = 1};
  ssize_t received = recvmsg(descriptor, &message, flags);
  if (length) *length = message.msg_namelen;
  return received;
}

ssize_t recv(int descriptor, void *bytes, size_t size, int flags) {
  if (!IS_SIMULATED) return LEFT("recv", descriptor, REAL(recv)(descriptor, bytes, size, flags));
  return recvfrom(descriptor, bytes, size, flags, NULL, NULL);
}

int sendmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags) {
  if (!IS_SIMULATED) return REAL(sendmmsg)(descriptor, messages, count, flags);
  unsigned done = 0;
  for (; done < count; done++) {
    ssize_t sent = sendmsg(descriptor, &messages[done].msg_hdr, flags);
    if (sent < 0) return done ? (int)done : -1;
    messages[done].msg_len = (unsigned)sent;
  }
  return (int)done;
}

int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
  if (!IS_SIMULATED) return REAL(recvmmsg)(descriptor, messages, count, flags, limit);
  unsigned done = 0;
  for (; done < count; done++) {
    ssize_t size = recvmsg(descriptor, &messages[done].msg_hdr, done ? flags | MSG_DONTWAIT : flags);
    if (size < 0) return done ? (int)done : -1;
    messages[done].msg_len = (unsigned)size;
  }
  return (int)done;
}
