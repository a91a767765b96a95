// More of what isn't simulated. These functions take up to six numbers or pointers, and return a number or a pointer.

#include <errno.h>
#include <stddef.h>

extern __thread void *sim_self __attribute__((tls_model("initial-exec")));
void fail_missing(const char *call, const void *caller);
int world_keeps_disk(void);
void *dlsym(void *handle, const char *name);
const char *sim_call_absent(size_t number);

/// A program that is run as it is has the files of the machine: no path is one of the simulation's, and no descriptor below 1000.
#define IS_FILE_OF_THE_MACHINE(first) (world_keeps_disk() && (unsigned long)(first) - 1000 >= 1000000)

#define ABSENT_UNLESS(passes, failure, name)                                                                           \
  long name(long a, long b, long c, long d, long e, long f);                                                 \
  long name(long a, long b, long c, long d, long e, long f) {                                                \
    static long (*real)(long, long, long, long, long, long);                                                 \
    if (!real) real = (long (*)(long, long, long, long, long, long))dlsym((void *)-1l, #name);               \
    if (!sim_self || (passes)) return real(a, b, c, d, e, f);                                                            \
    fail_missing(#name, __builtin_return_address(0));                                                        \
    errno = ENOSYS;                                                                                          \
    return failure;                                                                                          \
  }
#define ABSENT(name) ABSENT_UNLESS(0, -1, name)
#define ABSENT_FILE(name) ABSENT_UNLESS(IS_FILE_OF_THE_MACHINE(a), -1, name)
#define ABSENT_POINTER(name) ABSENT_UNLESS(IS_FILE_OF_THE_MACHINE(a), 0, name)

#include "absent.inc"

#undef ABSENT
#undef ABSENT_FILE
#undef ABSENT_POINTER
#define ABSENT(name) {#name, name},
#define ABSENT_FILE(name) {#name, name},
#define ABSENT_POINTER(name) {#name, name},

static const struct {
  const char *name;
  long (*call)(long, long, long, long, long, long);
} absent[] = {
#include "absent.inc"
};

const char *sim_call_absent(size_t number) {
  if (number >= sizeof absent / sizeof *absent) return NULL;
  if (sim_self) absent[number].call(0, 0, 0, 0, 0, 0);
  return absent[number].name;
}
