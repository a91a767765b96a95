#if canImport(Combine) || Futures || Everything
import UV

/// The two ends of a subscription that several threads use: the subscriber, and the subscription to the
/// publisher. Each is let go once, and nothing is called under the lock.
final class Ends<Input, Failure: Error> {
  private let lock = Lock()
  private var downstream: Downstream<Input, Failure>?
  private var link: Link?
  private var hasDemand = false

  init(_ downstream: Downstream<Input, Failure>) { self.downstream = downstream }

  deinit { lock.deallocate() }

  var subscriber: Downstream<Input, Failure>? { lock.withLock { downstream } }

  /// Whether there is no subscriber left to notify.
  var isOver: Bool { lock.withLock { downstream == nil } }

  /// The link that the subscriber's demand and its cancellation go to.
  var upstream: Link? { lock.withLock { link } }

  /// Takes the subscription. Returns the subscriber, which the caller passes it to; nil if there is a
  /// subscription already, or if the subscriber has cancelled.
  func connect(_ subscription: Link) -> Downstream<Input, Failure>? {
    let next: Downstream<Input, Failure>? = lock.withLock {
      guard link == nil, let downstream else { return nil }
      link = subscription
      return downstream
    }
    if next == nil { subscription.cancel() }
    return next
  }

  /// Notes that something has been asked for; whether that is the first time.
  func noteDemand() -> Bool {
    lock.withLock {
      defer { hasDemand = true }
      return !hasDemand
    }
  }

  /// Delivers a value, and returns what the subscriber wants after it.
  func receive(_ value: Input) -> Subscribers.Demand {
    guard let next = lock.withLock({ downstream }) else { return .none }
    return next.receive(value)
  }

  /// Delivers a value, and asks for what the subscriber wants after it.
  func deliver(_ value: Input) {
    let more = receive(value)
    if more > 0 { upstream?.request(more) }
  }

  /// Delivers the end, unless it has been delivered.
  func finish(_ completion: Subscribers.Completion<Failure>) { release().0?.receive(completion: completion) }

  /// Cancels the subscription, and lets the subscriber go.
  func cancel() {
    let (last, link) = release()
    link?.cancel()
    _ = last
  }

  private func release() -> (Downstream<Input, Failure>?, Link?) {
    lock.withLock {
      defer {
        downstream = nil
        link = nil
      }
      return (downstream, link)
    }
  }
}
#endif
