import Synchronization
import UV

/// A step that brings the signals of a publisher that is no loop's to the loop on which it was subscribed to.
///
/// On the loop's thread a signal passes at once. One from another thread goes there, and those that follow it, from
/// whatever thread, come after it.
// Sound: everything but `waiting` is touched on the loop's thread; `upstream` is set before anybody can cancel.
final class Crossing<Input, Failure: Error>: ForeignSubscription, @unchecked Sendable {
  private let executor: LoopExecutor
  private var next: Downstream<Input, Failure>?
  private var upstream: Link?
  private let height: Int
  /// How many signals are on their way.
  private let waiting = Atomic(0)

  init(_ executor: LoopExecutor, _ next: Downstream<Input, Failure>) {
    self.executor = executor
    self.next = next
    height = next.height + 1
  }

  var downstream: Downstream<Input, Failure> {
    Downstream(self, height: height) { [self] in receive($0) }
  }

  private func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    if executor.isOnLoop, waiting.load(ordering: .relaxed) == 0 { return handOn(signal) }
    waiting.add(1, ordering: .relaxed)
    // Sound: the sender gives the signal up, and the loop takes it.
    let transfer = UnsafeTransfer(signal)
    // Dropped if the loop has ended: there is nobody any more to hear it.
    try? executor.execute { [self] _ in
      waiting.subtract(1, ordering: .relaxed)
      let more = handOn(transfer.value)
      if more > 0 { upstream?.request(more) }
    }
    return .none
  }

  private func handOn(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    // Cancelled while the signal was on its way.
    guard let next else { return .none }
    switch signal {
    case .value(let value): return next.receive(value)
    case .subscription(let link):
      upstream = link
      next.receive(link: self)
    case .completion(let completion):
      self.next = nil
      upstream = nil
      next.receive(completion: completion)
    }
    return .none
  }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    guard let upstream else { return }
    self.upstream = nil
    let last = next
    next = nil
    upstream.cancel()
    _ = last
  }
}

extension Downstream {
  /// Subscribes to a publisher of any kind. If it is no loop's, its signals may come from any thread: they are
  /// brought to the loop of this one; where there is none, through `gate`.
  @usableFromInline
  func attach<P: Publisher>(toAny upstream: P, through gate: Gate?)
  where P.Output == Input, P.Failure == Failure {
    if let gate { return gate.guarding(self).attach(to: upstream) }
    if upstream is any LoopPublisher { return attach(to: upstream) }
    guard let loop = EventLoop.current else { return attach(to: upstream) }
    Crossing(loop.executor, self).downstream.attach(to: upstream)
  }
}
