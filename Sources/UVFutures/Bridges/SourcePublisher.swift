#if canImport(Combine) || Futures || Everything
public import UV

/// An event source as a publisher whose demand is back-pressure.
///
/// While the subscriber has asked for nothing, nothing is asked of the source: a connection is not read, a
/// listener does not accept. Cancelling the subscription stops asking; the source stays open and can be used
/// again. Delivery is on the source's loop, never before the call that asked has returned.
///
/// A source speaks to one at a time: with a second subscriber that asks for everything, or beside a callback
/// given to `start`, a subscription fails with `sourceStarted`.
///
/// Combine's `Publisher`.
public struct SourcePublisher<Source: EventSource>: LoopPublisher {
  /// The source's elements.
  public typealias Output = Source.Element
  /// Ends the source before its time.
  public typealias Failure = UVError

  /// The source of the elements.
  @usableFromInline let source: Source

  @inlinable
  init(_ source: Source) { self.source = source }

  /// Gives `subscriber` a subscription that asks the source for what is demanded.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == UVError {
    let downstream = Downstream(subscriber)
    let subscription = SourceSubscription(downstream, source) {
      $0.ask()
    } deliver: {
      unsafeDowncast($0, to: SourceSubscription<Source>.self).answer($1)
    }
    downstream.receive(link: subscription)
  }
}

/// A subscriber's hold on a source.
@usableFromInline
final class SourceSubscription<Source: EventSource>: _ElementReceiver<Source.Element>, Subscription {
  // Properties of less than a word come first: they fill the one that the receiver has last.
  @usableFromInline @exclusivity(unchecked) var isDelivering = false
  /// Whether the source has been asked for one element.
  @usableFromInline @exclusivity(unchecked) var isAsking = false
  /// Whether the source has been asked for everything.
  @usableFromInline @exclusivity(unchecked) var isStarted = false
  @usableFromInline let source: Source
  /// `ask()` as specialised code, which a call through the `Subscription` protocol would not reach.
  @usableFromInline let askNow: (SourceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var waiting = SourceWait()
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var downstream: Delivery<Source.Element, UVError>?

  @inlinable
  init(
    _ downstream: Downstream<Source.Element, UVError>, _ source: Source,
    _ ask: @escaping (SourceSubscription) -> Void,
    deliver: @escaping (_ElementReceiver<Source.Element>, Result<Source.Element?, UVError>) -> Void
  ) {
    self.downstream = Delivery(to: downstream)
    self.source = source
    askNow = ask
    super.init(deliver)
  }

  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    demand += more
    if !isDelivering { askNow(self) }
  }

  @usableFromInline
  func cancel() {
    let last = downstream
    guard last != nil else { return }
    downstream = nil
    // It may have been refused and not notified yet, or been stopped: then the handler is somebody else's.
    if isHandler { source.stop() }
    waiting.cancel()
    _ = last
  }

  /// Asks the source for what is wanted.
  @inlinable
  func ask() {
    guard downstream != nil, !isAsking, !isStarted, demand > 0 else { return }
    if demand == .unlimited {
      isStarted = true
      source._start(for: self)
    } else {
      isAsking = true
      waiting = SourceWait(source._next(for: self))
    }
  }

  @inlinable
  func answer(_ result: Result<Source.Element?, UVError>) {
    assert(isAsking || isStarted, "a source answers a subscription that hasn't asked")
    isAsking = false
    guard let downstream else { return }
    switch result {
    case .success(let element?):
      demand -= 1
      isDelivering = true
      demand += downstream.receive(element)
      isDelivering = false
      if !isStarted { ask() }
    case .success(nil):
      self.downstream = nil
      downstream.receive(completion: .finished)
    case .failure(let error):
      self.downstream = nil
      downstream.receive(completion: .failure(error))
    }
  }
}

extension EventSource {
  /// The source as a publisher; its demand is back-pressure, so what is not asked for is not read or
  /// accepted.
  ///
  /// ```swift
  /// connection.publisher()
  ///   .flatMap(maxPublishers: .max(1)) { connection.write($0).publisher() }
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: {})
  /// ```
  ///
  /// Combine's `Publisher`.
  @inlinable
  public func publisher() -> SourcePublisher<Self> { SourcePublisher(self) }
}
#endif
