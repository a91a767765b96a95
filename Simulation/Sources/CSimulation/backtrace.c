// What a program prints of itself before it ends.

#include "simulation.h"

#include <execinfo.h>

void sim_print_backtrace(int descriptor) {
  void *frames[64];
  // The first call loads a library, which a signal handler mustn't.
  int count = backtrace(frames, 64);
  if (descriptor >= 0) backtrace_symbols_fd(frames, count, descriptor);
}
