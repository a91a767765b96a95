import UV

/// The promise of another one's outcome with a time limit: the waiter, the timer and the result are one
/// object, because most promises keep their limit.
///
/// It does what a `race` with a timer would do that cancels the loser.
@usableFromInline
final class LimitedNode: Node {
  // Sound: cleared when that promise settles or goes away.
  @exclusivity(unchecked) private unowned(unsafe) var source: Node?
  @exclusivity(unchecked) private var timer = PendingRequest()
  /// Whether the limit may still be reached.
  @exclusivity(unchecked) private var isLimited = true

  /// - Parameters:
  ///   - source: The promise to wait for, which is pending.
  ///   - perform: Calls ``finish(_:_:_:)`` with the right type.
  @usableFromInline
  init(
    _ source: Node, _ limit: Duration, _ file: StaticString, _ line: UInt, perform: @escaping Perform
  ) {
    self.source = source
    super.init(flags: .isInline, perform: perform)
    made(file, line)
    source.append(self, tag: tag)
    if let loop = EventLoop.current {
      start(on: loop, limit)
    } else {
      let begin = ContinuousClock.now
      startLater("timeout(after:)") { [self] in start(on: $0, limit - (ContinuousClock.now - begin)) }
    }
  }

  private func start(on loop: EventLoop, _ limit: Duration) {
    timer = loop.sleep(for: limit) { [self] in limitDidEnd($0) }
  }

  private func limitDidEnd(_ result: Result<Void, UVError>) {
    timer = PendingRequest()
    isLimited = false
    guard state == .pending else { return }
    if case .success = result {
      leaveSource()
      reject(PMKError.timedOut)
    } else if source == nil {
      // The loop has ended, and so neither of the two will come.
      ContinuationEntry.abandon(self)
    }
  }

  private func leaveSource() {
    guard let pending = source else { return }
    source = nil
    pending.remove(self, tag: tag)
    pending.cancelUnlessAwaited()
  }

  private func dropTimer() {
    timer.drop()
    timer = PendingRequest()
    isLimited = false
  }

  /// Settles the promise as the one that it waited for.
  @inlinable @inline(__always)
  static func finish<T>(_ node: Node, _ source: Node, _ type: T.Type) {
    unsafeDowncast(node, to: LimitedNode.self).sourceDidEnd()
    node.pass(source, type)
  }

  @usableFromInline
  func sourceDidEnd() {
    source = nil
    dropTimer()
  }

  @usableFromInline
  override func cancelOperation() {
    dropTimer()
    leaveSource()
  }

  @usableFromInline
  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
    source = nil
    // The limit is an outcome, too.
    if !isLimited { super.abandon(tag: tag, rest: &rest) }
  }

  @usableFromInline
  override func moved(to source: Node, tag: Int32) { self.source = source }
}
