import UV

/// The promise of another one's outcome with a time limit: the waiter, the timer and the result are one
/// object, because most promises keep their limit.
///
/// It does what a `race` with a timer would do that cancels the loser.
@usableFromInline
final class LimitedNode: Node {
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
    super.init(flags: [.isInline, .isGathering], perform: perform)
    made(file, line)
    upstream = source
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
      leaveSource()?.cancelUnlessAwaited()
      reject(PMKError.timedOut)
    } else if upstream == nil {
      // The loop has ended, and so neither of the two will come.
      ContinuationEntry.abandon(self)
    }
  }

  /// Stops waiting, and returns what this waited for.
  private func leaveSource() -> Node? {
    guard let source = upstream else { return nil }
    upstream = nil
    source.remove(self, tag: tag)
    return source
  }

  @usableFromInline
  func dropTimer() {
    timer.drop()
    timer = PendingRequest()
    isLimited = false
  }

  /// Settles the promise as the one that it waited for.
  @inlinable @inline(__always)
  static func finish<T>(_ node: Node, _ source: Node, _ type: T.Type) {
    unsafeDowncast(node, to: LimitedNode.self).dropTimer()
    node.pass(source, type)
  }

  @usableFromInline
  override func cancelOperation(_ rest: inout CancelList) {
    dropTimer()
    if let source = leaveSource() { rest.add(source, besides: nil) }
  }

  @usableFromInline
  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
    // The limit is an outcome, too.
    if isLimited { upstream = nil } else { super.abandon(tag: tag, rest: &rest) }
  }
}
