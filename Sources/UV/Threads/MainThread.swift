import CUV

/// Whether this is the process's first thread.
package var isMainThread: Bool { cuv_is_main_thread() != 0 }
