#include "bench_demangle.h"

#include <stdint.h>

extern char *swift_demangle(const char *name, size_t length, char *output, size_t *size, uint32_t flags);

char *bench_demangle(const char *name, size_t length) { return swift_demangle(name, length, NULL, NULL, 0); }
