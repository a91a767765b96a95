import UV

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
