/// Two sides that decide a future together.
///
/// Each side holds on to it for as long as it may speak; the future that is decided does not. So a join of
/// sides that nobody can settle any more goes with them.
final class Join<Left, Right, Output, Failure: Error> {
  private let left: (Join, Settlement<Left, Failure>) -> Void
  private let right: (Join, Settlement<Right, Failure>) -> Void
  private var child: Future<Output, Failure>?
  private let firstWins: Bool
  private var remaining = 2

  init(
    _ child: Future<Output, Failure>, firstWins: Bool,
    left: @escaping (Join, Settlement<Left, Failure>) -> Void,
    right: @escaping (Join, Settlement<Right, Failure>) -> Void
  ) {
    self.child = child
    self.firstWins = firstWins
    self.left = left
    self.right = right
  }

  func start(_ future: Future<Left, Failure>, _ other: some AnyStream<Right, Failure>) {
    guard let child else { return }
    child.gate = future.gate
    let (left, right) = (JoinSide(self, left), JoinSide(self, right))
    future.attach({ left.speak($0) }, for: child.node)
    // The left of two that are there wins, and a value that waits to be replayed is there.
    if firstWins, future.node.canReplay, case .value? = future.outcome { return right.leave() }
    if let other = other as? any StreamFuture<Right, Failure> {
      return other.asFuture.attach({ right.speak($0) }, for: child.node)
    }
    other.asHot.attach(
      Hot<Right, Failure>.Branch { event in
        switch event {
        case .next(let value): right.speak(.value(value))
        case .error: return true
        case .terminate(let reason): right.speak(Settlement(reason))
        }
        return false
      })
  }

  // MARK: What a side says

  /// Settles the future with the first value, or with the end of both sides.
  func firstWins(_ settlement: Settlement<Output, Failure>) {
    remaining -= 1
    if case .value = settlement {} else if remaining > 0 { return }
    end(settlement)
  }

  /// The value of a side, without which the future ends as that did.
  func value<T>(of settlement: Settlement<T, Failure>) -> T? {
    if case .value(let value) = settlement { return value }
    end(settlement.withoutValue()!)
    return nil
  }

  /// Settles the future.
  func end(_ settlement: Settlement<Output, Failure>) { child.take()?.settle(settlement) }

  /// A side will say nothing: there will be no pair, or the other side decides.
  fileprivate func sideIsGone() { if firstWins { remaining -= 1 } else { child = nil } }
}

/// One side of a join, which speaks once.
private final class JoinSide<Value, Left, Right, Output, Failure: Error> {
  private var join: Join<Left, Right, Output, Failure>?
  private let body: (Join<Left, Right, Output, Failure>, Settlement<Value, Failure>) -> Void

  init(
    _ join: Join<Left, Right, Output, Failure>,
    _ body: @escaping (Join<Left, Right, Output, Failure>, Settlement<Value, Failure>) -> Void
  ) {
    self.join = join
    self.body = body
  }

  deinit { leave() }

  func speak(_ settlement: Settlement<Value, Failure>) {
    if let join = join.take() { body(join, settlement) }
  }

  func leave() { join.take()?.sideIsGone() }
}
