/// The thread-local values of libc's, whose destructors run when a simulated thread ends.
#pragma once

void keys_end_thread(void);
