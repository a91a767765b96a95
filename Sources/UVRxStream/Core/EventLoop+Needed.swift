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

extension RemoteTicket {
  /// A ticket that keeps `loop` running for what comes from outside, until the loop ends.
  ///
  /// - Parameter result: The type that a debug build prints if the loop ends without it; nil for what needn't
  ///   have an end.
  convenience init(keeping loop: EventLoop, for result: @autoclosure () -> Any.Type? = nil) {
    #if DEBUG
    self.init(AwaitedInput(result()), of: loop)
    #else
    self.init(AwaitedInput(nil), of: loop)
    #endif
  }

  /// Stops keeping the loop running for an object that has its answer otherwise.
  func giveUp() {
    if claim() { completeNow { _ in } }
  }
}

/// The object of a ticket that has none of its own to notify. Each ticket has another.
private final class AwaitedInput: Answerable {
  private let result: Any.Type?
  init(_ result: Any.Type?) { self.result = result }

  var waitingPlace: Int32 = -1
  var keepsLoopRunning: Bool { true }
  var nameIfForsaken: String? { result.map { "\($0)" } }
  func forsake() {}
}
