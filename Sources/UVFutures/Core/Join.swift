/// Two sides that decide a future together.
///
/// Each side holds on to it for as long as it may speak; the future that is decided does not. So a join of sides that
/// nobody can settle any more goes with them. The right side alone, which may be any publisher, only holds on while
/// somebody could hear what it says: a subject never tells that it has been let go.
final class Join<Left, Right, Output, Failure: Error> {
  private let left: (Join, Settlement<Left, Failure>) -> Void
  private let right: (Join, Settlement<Right, Failure>) -> Void
  private var child: Future<Output, Failure>?
  /// The same, where it keeps this, and not this it.
  private weak var unheard: Future<Output, Failure>?
  private var subscription: AnyCancellable?
  /// Itself, while the right side alone keeps it.
  private var itself: Join?
  private let firstWins: Bool
  private var remaining = 2
  private var leftHasSpoken = false

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

  deinit { subscription?.cancel() }

  func start(_ future: Future<Left, Failure>, _ other: some Publisher<Right, Failure>) {
    guard let child else { return }
    child.gate = future.gate
    let node = child.streamNode
    let hold = LeftHold(self)
    future.attach({ hold.speak($0) }, for: node)
    // The left of two that are there wins, and a value that waits to be replayed is there.
    if let future = other as? Future<Right, Failure> {
      let hold = RightHold(self)
      return future.attach({ hold.speak($0) }, for: node)
    }
    if firstWins, case .value? = future.outcome { return }
    let subscription = subscribe(to: other)
    if self.child == nil { subscription.cancel() } else { self.subscription = subscription }
  }

  private func subscribe(to other: some Publisher<Right, Failure>) -> AnyCancellable {
    var body: ((Settlement<Right, Failure>) -> Void)? = { [weak self] in self?.rightSpeaks($0) }
    let sink = Sink<Right, Failure> {
      switch $0 {
      case .finished: body.take()?(.completed)
      case .failure(let error): body.take()?(.failure(error))
      }
    } _: {
      body.take()?(.value($0))
    }
    sink.downstream.attach(toAny: other, through: nil)
    return AnyCancellable { sink.cancel() }
  }

  fileprivate func leftSpeaks(_ settlement: Settlement<Left, Failure>) {
    leftHasSpoken = true
    left(self, settlement)
  }

  /// The left side says nothing more.
  fileprivate func leftIsGone() {
    guard child != nil, subscription != nil else { return }
    if !leftHasSpoken {
      // There will be no pair.
      if !firstWins { return end(nil) }
      remaining -= 1
    }
    if isHeard { return itself = self }
    // As long as nobody listens, the right side goes on for who knows the future, and no longer.
    unheard = child
    unheard?.startWork = { [self] in
      child = unheard
      itself = self
    }
    child = nil
  }

  fileprivate func rightSpeaks(_ settlement: Settlement<Right, Failure>) { right(self, settlement) }

  /// Whether something has been attached to the future.
  private var isHeard: Bool { child!.hasBranches || child!.firstSubscription != nil }

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

  /// Settles the future, and lets go of both sides.
  func end(_ settlement: Settlement<Output, Failure>?) {
    let (child, subscription, itself) = (child ?? unheard, subscription, itself)
    self.child = nil
    unheard = nil
    self.subscription = nil
    self.itself = nil
    subscription?.cancel()
    if let settlement { child?.settle(settlement) }
    _ = itself
  }

  /// The left side's values.
  private final class LeftHold {
    private let join: Join
    init(_ join: Join) { self.join = join }
    deinit { join.leftIsGone() }
    func speak(_ settlement: Settlement<Left, Failure>) { join.leftSpeaks(settlement) }
  }

  /// The right side's values, where that is a future.
  private final class RightHold {
    private let join: Join
    init(_ join: Join) { self.join = join }
    func speak(_ settlement: Settlement<Right, Failure>) { join.rightSpeaks(settlement) }
  }
}
