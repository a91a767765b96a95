#pragma once

/// How many blocks of memory the process has allocated so far.
unsigned long allocations_made(void);
