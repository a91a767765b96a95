#if canImport(Combine) || Futures || Everything
/// A step that knows both its neighbours: it can keep a signal for later, and then asks for more itself.
@usableFromInline
class Relay<Input, Failure: Error>: PassingSubscription {
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) final var next: Downstream<Input, Failure>?
  @usableFromInline @exclusivity(unchecked) final var upstream: (any Subscription)?

  @inlinable
  init(_ next: Downstream<Input, Failure>) { self.next = next }

  /// Hands a signal on; the subscriber gets this as its subscription.
  @usableFromInline
  final func handOn(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    // Cancelled while the signal waited.
    guard let next else { return .none }
    switch signal {
    case .value(let value): return next.receive(value)
    case .subscription(let subscription): start(subscription)
    case .completion(let completion): end(completion)
    }
    return .none
  }

  /// The same for a signal that waited: what is wanted after it is asked for.
  final func handOnLate(_ signal: Signal<Input, Failure>) {
    let more = handOn(signal)
    if more > 0 { ask(upstream, for: more) }
  }

  @usableFromInline
  final func start(_ subscription: any Subscription) {
    // One subscription, and the first.
    guard let next, upstream == nil else { return subscription.cancel() }
    upstream = subscription
    next.receive(link: self)
  }

  @usableFromInline
  final func end(_ completion: Subscribers.Completion<Failure>) {
    let last = next
    next = nil
    upstream = nil
    last?.receive(completion: completion)
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { ask(upstream, for: demand) }

  @usableFromInline
  func cancel() {
    guard let upstream else { return }
    self.upstream = nil
    // The next node may go with it, not before.
    let last = next
    next = nil
    upstream.cancel()
    _ = last
  }
}
#endif
