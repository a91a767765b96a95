// How the program is linked: the simulation must be asked before libc, and both libc and libuv be shared libraries.

#include "kernel.h"
#include "real.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Without libc, of which nothing works here.
static void system_call(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
#endif
}

/// A program that has libc in itself has no loader, and no other function of a name.
__attribute__((constructor(101))) static void check_libc(void) {
  const ElfW(Phdr) *parts = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++) {
    if (parts[i].p_type == PT_INTERP) return;
  }
  static const char text[] = "UVSimulation needs libc as a shared library: link the program without -static\n";
  system_call(SYS_write, 2, (long)text, sizeof text - 1);
  system_call(SYS_exit_group, 70, 0, 0);
}

const char *sim_linkage_problem(void) {
  static const char *const names[] = {"epoll_wait", "read", "pthread_cond_wait", "clock_gettime"};
  for (int i = 0; i < 4; i++) {
    Dl_info own, found;
    void *function = dlsym(RTLD_DEFAULT, names[i]);
    if (!function || !dladdr(function, &found) || !dladdr((void *)sim_linkage_problem, &own)) continue;
    if (own.dli_fbase == found.dli_fbase) continue;
    return "libc's functions are found before the simulation's: link UVSimulation into the program, before libuv and libc";
  }
  if (!library_is_found()) return "libuv isn't a shared library, of which each host would have a copy: link libuv.so";
  return NULL;
}
