#include "bench_hooks.h"
