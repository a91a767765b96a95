/// Keeps a source and its loop going while somebody asks, and tells the source if the loop ends first.
final class SourceStay: ActiveRequest {
  private var onLoopEnd: (() -> Void)?

  init(_ loop: EventLoop, _ onLoopEnd: @escaping () -> Void) {
    self.onLoopEnd = onLoopEnd
    super.init(loop: loop)
    loop.requests.insert(self)
    loop.beginWork()
  }

  func end() {
    guard onLoopEnd.take() != nil else { return }
    loop.endWork()
    loop.requests.remove(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard let onLoopEnd = onLoopEnd.take() else { return }
    loop.endWork()
    loop.requests.remove(self)
    loop.queueMicrotask(onLoopEnd)
  }
}
