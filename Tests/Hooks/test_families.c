// A system without IPv6, for the rest of this process: as a kernel has it, or a service manager.
#define _GNU_SOURCE
#include "test_hooks.h"

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

int test_without_ipv6(int has_sockets) {
  // Either no socket of the family can be made, or none can be bound to an address of its size.
  unsigned call = has_sockets ? SYS_bind : SYS_socket;
  unsigned place = has_sockets ? offsetof(struct seccomp_data, args[2]) : offsetof(struct seccomp_data, args[0]);
  unsigned value = has_sockets ? sizeof(struct sockaddr_in6) : AF_INET6;
  unsigned error = has_sockets ? EADDRNOTAVAIL : EAFNOSUPPORT;
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? errno : 0;
}
#endif
