public import UV

/// A request as a publisher: cold, so each subscription starts the work anew.
///
/// The work starts when the subscriber first asks for a value, and is cancelled with the subscription.
/// Delivery is on the request's loop, never before the call that asked has returned.
///
/// Combine's `Deferred` around a `Future`.
public struct RequestPublisher<Output>: LoopPublisher {
  /// The request's error.
  public typealias Failure = UVError

  /// Makes the request that is started for each subscriber.
  public let request: Request<Output>

  @inlinable
  init(_ request: Request<Output>) { self.request = request }

  /// Gives `subscriber` a subscription that starts the request with the first demand.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == UVError {
    guard let downstream = Downstream(own: subscriber) else {
      return ForeignRequestSubscription(subscriber, request).begin()
    }
    let subscription = RequestSubscription(downstream, request)
    downstream.receive(link: subscription)
    subscription.hasSubscribed()
  }
}

/// One run of a request for a subscriber.
@usableFromInline
final class RequestSubscription<Output>: Subscription {
  @usableFromInline @exclusivity(unchecked) var hasDemand = false
  @usableFromInline @exclusivity(unchecked) var isSubscribing = true
  @usableFromInline @exclusivity(unchecked) var pending = PendingRequest()
  /// Makes the request; nil once it has been started.
  @usableFromInline @exclusivity(unchecked) var request: Request<Output>?
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream<Output, UVError>?

  @inlinable
  init(_ downstream: Downstream<Output, UVError>, _ request: Request<Output>) {
    self.downstream = downstream
    self.request = request
  }

  /// Starts what was asked for while the subscription was handed over.
  @inlinable
  func hasSubscribed() {
    isSubscribing = false
    if hasDemand { run() }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    require(demand > 0, "API violation: demand must not be zero")
    hasDemand = true
    if !isSubscribing { run() }
  }

  @usableFromInline
  func cancel() {
    let last = downstream
    guard last != nil else { return }
    downstream = nil
    request = nil
    pending.cancel()
    _ = last
  }

  @inlinable
  func run() {
    guard let request = request.take() else { return }
    pending = request.start({ [self] in finish($0) }, void: { [self] in finish($0.typed()) })
  }

  @inlinable
  func finish(_ result: Result<Output, UVError>) {
    guard let downstream else { return }
    switch result {
    case .success(let output):
      _ = downstream.receive(output)
      if self.downstream == nil { return }
      self.downstream = nil
      downstream.receive(completion: .finished)
    case .failure(let error):
      self.downstream = nil
      downstream.receive(completion: .failure(error))
    }
  }
}

extension Request {
  /// The request as a cold publisher: it is started when a subscriber asks for its value, anew for each, and
  /// cancelled with the subscription.
  ///
  /// Combine's `Deferred` around a `Future`.
  @inlinable
  public func publisher() -> RequestPublisher<Success> { RequestPublisher(self) }

  /// Starts the request now, and returns its result as a future for any number of subscribers.
  ///
  /// When the last of them cancels its subscription, so is the request.
  ///
  /// Combine's `Future`.
  @inlinable
  public func future() -> Future<Success, UVError> {
    let future = Future<Success, UVError>()
    let pending = start({ future.settle($0) }, void: { future.settle($0.typed()) })
    future.cancelWork = { pending.cancel() }
    return future
  }
}
