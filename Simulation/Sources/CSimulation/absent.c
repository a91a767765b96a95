// More of what isn't simulated. These functions take up to six numbers or pointers, and return a number.

#include <errno.h>
#include <stddef.h>

extern __thread void *sim_self __attribute__((tls_model("initial-exec")));
void fail_missing(const char *call, const void *caller);
void *dlsym(void *handle, const char *name);

#define ABSENT(name)                                                                                         \
  long name(long a, long b, long c, long d, long e, long f);                                                 \
  long name(long a, long b, long c, long d, long e, long f) {                                                \
    static long (*real)(long, long, long, long, long, long);                                                 \
    if (!real) real = (long (*)(long, long, long, long, long, long))dlsym((void *)-1l, #name);               \
    if (!sim_self) return real(a, b, c, d, e, f);                                                            \
    fail_missing(#name, __builtin_return_address(0));                                                        \
    errno = ENOSYS;                                                                                          \
    return -1;                                                                                               \
  }

ABSENT(execv)
ABSENT(execve)
ABSENT(fchdir)
ABSENT(posix_spawnp)
ABSENT(select)
ABSENT(pselect)
ABSENT(ppoll)
ABSENT(signalfd)
ABSENT(setgid)
ABSENT(setgroups)
ABSENT(setuid)
ABSENT(system)
ABSENT(wait3)
ABSENT(wait4)
ABSENT(waitid)
