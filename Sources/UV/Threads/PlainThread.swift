import CUV

/// Threads without a loop.
package enum PlainThread {
  /// Calls `body` on a thread of its own, which ends when `body` returns. Nobody joins it.
  ///
  /// - Parameters:
  ///   - name: What debuggers call the thread, which the system cuts off.
  ///   - body: What the thread does.
  ///
  /// The corresponding libuv function is `uv_thread_create_ex`.
  package static func start(name: String? = nil, _ body: @escaping @Sendable () -> Void) throws(UVError) {
    var thread = uv_thread_t()
    var options = uv_thread_options_t()
    options.flags = UV_THREAD_NO_FLAGS.rawValue
    // Balanced by the thread.
    let argument = Unmanaged.passRetained(PlainThreadBody(name, body))
    let code = uv_thread_create_ex(&thread, &options, runPlainThread, argument.toOpaque())
    if code < 0 {
      argument.release()
      throw failure(code, "thread_create")
    }
    pthread_detach(thread)
  }
}

private final class PlainThreadBody {
  let name: String?
  let body: @Sendable () -> Void

  init(_ name: String?, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

private func runPlainThread(_ argument: UnsafeMutableRawPointer?) {
  // Balances the retain of the thread's maker.
  let thread = Unmanaged<PlainThreadBody>.fromOpaque(argument!).takeRetainedValue()
  if let name = thread.name { cuv_name_thread(name) }
  thread.body()
}
