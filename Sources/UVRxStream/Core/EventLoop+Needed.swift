import UV

extension EventLoop {
  /// The current loop; without one the program stops with a sentence that says what needs it.
  static func needed(for what: String) -> EventLoop {
    guard let current else { fatalError("\(what) needs an event loop: do it inside EventLoop.run") }
    return current
  }
}

/// Runs `body` with the loop: at once on its thread, else when the loop comes to it. Dropped if the loop has
/// ended.
func onLoop(_ executor: LoopExecutor, _ body: @escaping (EventLoop) -> Void) {
  // Sound: the caller gives the closure up, and the loop calls it once.
  let transfer = UnsafeTransfer(body)
  if executor.isOnLoop, let loop = EventLoop.current, loop.executor === executor { return body(loop) }
  try? executor.execute { loop in transfer.value(loop) }
}
