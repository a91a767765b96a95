#pragma once

#include <stddef.h>

/// The Swift runtime's demangler. The result is from `malloc`; null if the name isn't Swift's.
char *bench_demangle(const char *name, size_t length);
