#pragma once

/// Bytes of the heap that are in use, or -1 where the allocator does not say.
long bench_heap_in_use(void);
