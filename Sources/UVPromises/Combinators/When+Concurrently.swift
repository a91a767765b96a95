/// Waits for the promises that `promiseIterator` makes, at most `concurrently` of them at a time, and gathers
/// their values in the order in which they were made.
///
/// After a rejection no more are made, and the result is rejected with that error.
///
/// - Parameters:
///   - promiseIterator: Makes the promises, one when there is room for it.
///   - concurrently: How many may be pending at the same time; if less than one, the result is rejected with
///     ``PMKError/badInput``.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
public func when<It: IteratorProtocol>(
  fulfilled promiseIterator: It, concurrently: Int, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[It.Element.T]> where It.Element: Thenable {
  guard concurrently > 0 else { return Promise(file: file, line: line, error: PMKError.badInput) }
  let node = Root(file, line)
  let feed = Feed(promiseIterator, concurrently, node) { node.resolve($0) }
  feed.stopsAtError = true
  // The promises drawn hold the feed, and that holds the result.
  node.onCancel = { [weak feed] in feed?.cancel() }
  feed.fill()
  return Promise(node: node)
}

/// Waits for the promises that `promiseIterator` makes, at most `concurrently` of them at a time, whether
/// they succeed or fail, and gathers their outcomes in the order in which they were made.
///
/// - Parameters:
///   - promiseIterator: Makes the promises, one when there is room for it.
///   - concurrently: How many may be pending at the same time; if less than one, the result is one outcome,
///     rejected with ``PMKError/badInput``.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
public func when<It: IteratorProtocol>(
  resolved promiseIterator: It, concurrently: Int, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[PMKResult<It.Element.T>]> where It.Element: Thenable {
  guard concurrently > 0 else { return .value([.rejected(PMKError.badInput)]) }
  let node = Root(file, line, flags: [.isRoot, .isGuarantee])
  let feed = Feed(promiseIterator, concurrently, node) { _ in }
  feed.gathersOutcomes = { node.fulfill($0) }
  node.onCancel = { [weak feed] in feed?.cancel() }
  feed.fill()
  return Guarantee(node: node)
}

/// A promise, as long as somebody else holds it.
private struct WeakNode {
  weak var node: Node?
  init(_ node: Node) { self.node = node }
}

/// Draws promises from an iterator as there is room for them.
private final class Feed<It: IteratorProtocol> where It.Element: Thenable {
  private var iterator: It
  private let limit: Int
  private let result: Node
  private let finish: (PMKResult<[It.Element.T]>) -> Void
  var gathersOutcomes: (([PMKResult<It.Element.T>]) -> Void)?
  var stopsAtError = false
  private var outcomes: [PMKResult<It.Element.T>?] = []
  /// Those that are not settled: they hold this, and their resolvers hold them.
  private var pending: [Int: WeakNode] = [:]
  private var isFilling = false
  private var isExhausted = false
  private var isOver = false

  init(
    _ iterator: It, _ limit: Int, _ result: Node, finish: @escaping (PMKResult<[It.Element.T]>) -> Void
  ) {
    self.iterator = iterator
    self.limit = limit
    self.result = result
    self.finish = finish
  }

  deinit {
    // All that it waits for is lost, and so is the result.
    if !isOver { ContinuationEntry.abandon(result) }
  }

  /// Draws until there is no room; promises that are resolved already take none.
  func fill() {
    // Those that are resolved come back here at once, and find the loop below at work.
    if isFilling { return }
    isFilling = true
    while !isOver, !isExhausted, pending.count < limit {
      guard let next = iterator.next() else {
        isExhausted = true
        break
      }
      // The iterator may have cancelled this, or a promise that it resolved may have ended it.
      if isOver { return next.node.cancelUnlessAwaited() }
      let index = outcomes.count
      outcomes.append(nil)
      pending[index] = WeakNode(next.node)
      next.node.pipe { (outcome: PMKResult<It.Element.T>) in self.take(outcome, index) }
    }
    isFilling = false
    if isExhausted, pending.isEmpty { end() }
  }

  private func take(_ outcome: PMKResult<It.Element.T>, _ index: Int) {
    pending[index] = nil
    if isOver { return }
    outcomes[index] = outcome
    if stopsAtError, case .rejected(let error) = outcome {
      isOver = true
      finish(.rejected(error))
    } else {
      fill()
    }
  }

  private func end() {
    if isOver { return }
    isOver = true
    if let gathersOutcomes {
      gathersOutcomes(outcomes.map { $0! })
    } else {
      finish(.fulfilled(outcomes.map { $0!.value! }))
    }
  }

  /// Draws no more, and cancels what nobody else waits for.
  func cancel() {
    isOver = true
    for weak in pending.values { if let node = weak.node, node.hasOneContinuation { node.cancel() } }
    pending = [:]
  }
}
