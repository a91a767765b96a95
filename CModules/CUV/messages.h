// Several messages of a socket by one system call, which Swift can't make.
#pragma once

#include <uv.h>

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

/// A message, and how many of its bytes have come or gone; laid out as Linux's `mmsghdr`, which only GNU sources see.
struct cuv_message {
  struct msghdr header;
  unsigned int count;
};

#ifdef __linux__
extern int cuv_sendmmsg(int fd, struct cuv_message *messages, unsigned int count, int flags) __asm__("sendmmsg");
extern int cuv_recvmmsg(int fd, struct cuv_message *messages, unsigned int count, int flags, struct timespec *wait)
    __asm__("recvmmsg");
#endif

/// Sends messages by one call, and returns how many have gone, or a libuv error code. Where the system has no such call, one.
static inline int cuv_send_messages(int fd, struct cuv_message *messages, unsigned int count) {
  int done;
  do {
#ifdef __linux__
    done = cuv_sendmmsg(fd, messages, count, 0);
#else
    ssize_t size = sendmsg(fd, &messages->header, 0);
    if (size >= 0) messages->count = (unsigned int)size;
    done = size < 0 ? -1 : 1;
#endif
  } while (done < 0 && errno == EINTR);
  return done < 0 ? uv_translate_sys_error(errno) : done;
}

/// Receives messages that have come by one call; see `cuv_send_messages`.
static inline int cuv_receive_messages(int fd, struct cuv_message *messages, unsigned int count) {
  int done;
  do {
#ifdef __linux__
    done = cuv_recvmmsg(fd, messages, count, 0, NULL);
#else
    ssize_t size = recvmsg(fd, &messages->header, 0);
    if (size >= 0) messages->count = (unsigned int)size;
    done = size < 0 ? -1 : 1;
#endif
  } while (done < 0 && errno == EINTR);
  return done < 0 ? uv_translate_sys_error(errno) : done;
}
