// The host: a program that had a libuv loop before this library came. It makes the loop, runs it and closes
// it, and knows nothing of `UV`. It stands for a program in C, and so each line is a call that one would
// make.
//
// A host in Swift has a module of its own for <uv.h>, and one in C needs none.
import CHostLibuv

struct Host {
  let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)

  init() { uv_loop_init(loop) }

  /// Runs until nothing is left to do, or `stop()`.
  func run() { uv_run(loop, UV_RUN_DEFAULT) }

  func stop() { uv_stop(loop) }

  /// Closes the loop: 0, or `UV_EBUSY` while a handle is open.
  func close() -> Int32 {
    let code = uv_loop_close(loop)
    if code == 0 { loop.deallocate() }
    return code
  }
}
