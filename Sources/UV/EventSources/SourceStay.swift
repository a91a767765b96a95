/// Keeps a source and its loop going while a reader waits, and notifies the source if the loop ends first.
final class SourceStay: ActiveRequest {
  private let operation: String
  private var onLoopEnd: (() -> Void)?

  /// - Parameter operation: The name of the source's operation, for the loop's snapshot.
  init(_ loop: EventLoop, _ operation: String, _ onLoopEnd: @escaping () -> Void) {
    (self.operation, self.onLoopEnd) = (operation, onLoopEnd)
    super.init(loop: loop)
    loop.requests.insert(self)
    loop.beginWork()
  }

  func end() {
    guard onLoopEnd.take() != nil else { return }
    loop.endWork()
    loop.requests.remove(self)
  }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? { Awaited(operation: operation) }

  override func cancel(slot: UInt, generation: UInt) {
    guard let onLoopEnd = onLoopEnd.take() else { return }
    loop.endWork()
    loop.requests.remove(self)
    loop.queueMicrotask(onLoopEnd)
  }
}
