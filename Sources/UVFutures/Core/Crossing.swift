#if canImport(Combine) || Futures || Everything
import Synchronization
public import UV

/// A step that brings the signals of a publisher that is no loop's to the loop on which it was subscribed to.
///
/// On the loop's thread a signal passes at once. One from another thread goes there, and those that follow
/// it, from whatever thread, come after it.
@usableFromInline
final class Crossing<Input, Failure: Error>: Relay<Input, Failure>, Subscriber, ForeignSubscription,
  // Sound: everything but `waiting` is touched on the loop's thread; `upstream` is set before anybody can
  // cancel.
  @unchecked Sendable
{
  private let executor: LoopExecutor
  private let label: Any.Type
  /// How many signals are on their way.
  private let waiting = Atomic(0)

  @usableFromInline
  init(_ executor: LoopExecutor, _ next: Downstream<Input, Failure>) {
    self.executor = executor
    label = next.label
    super.init(next)
  }

  /// The step for a publisher of this module's, which stays on its loop: on this one's the step itself isn't
  /// needed.
  @usableFromInline
  var downstream: Downstream<Input, Failure> { if let next, isOpen { next } else { always } }

  /// The step for a future that is no loop's.
  var always: Downstream<Input, Failure> {
    Downstream(self, height: (next?.height ?? 0) + 1) { [self] in isOpen ? handOn($0) : send($0) }
  }

  private var isOpen: Bool { executor.isOnLoop && waiting.load(ordering: .relaxed) == 0 }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if isOpen { start(subscription) } else { send(.subscription(ForeignLink(subscription))) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard isOpen else { return send(.value(input)) }
    return next?.receive(input) ?? .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if isOpen { end(completion) } else { send(.completion(completion)) }
  }

  @discardableResult
  private func send(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    waiting.add(1, ordering: .relaxed)
    // Sound: the sender gives the signal up, and the loop takes it.
    let transfer = UnsafeTransfer(signal)
    // Dropped if the loop has ended: there is nobody any more to hear it.
    try? executor.execute { [self] _ in
      waiting.subtract(1, ordering: .relaxed)
      handOnLate(transfer.value)
    }
    return .none
  }
}

extension Crossing: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @usableFromInline
  var description: String { Downstream<Input, Failure>.name(of: label) }

  @usableFromInline
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  @usableFromInline
  var playgroundDescription: Any { description }
}

extension Downstream {
  /// Subscribes to a publisher of any kind. If it is no loop's, its signals may come from any thread: they
  /// are brought to the loop of this one; where there is none, through `gate`.
  @inlinable
  func attach<P: Publisher>(toAny upstream: P, through gate: Gate?)
  where P.Output == Input, P.Failure == Failure {
    if let gate { return gate.guarding(self).attach(to: upstream) }
    guard !(P.self is any LoopPublisher.Type), let loop = EventLoop.current else {
      return attach(to: upstream)
    }
    attach(Crossing(loop.executor, self), to: upstream)
  }
}
#endif
