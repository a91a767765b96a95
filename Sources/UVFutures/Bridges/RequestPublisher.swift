#if canImport(Combine) || Futures || Everything
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
  @usableFromInline let request: Request<Output>

  @inlinable
  init(_ request: Request<Output>) { self.request = request }

  /// Gives `subscriber` a subscription that starts the request with the first demand.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == UVError {
    if S.self == RequestTaker<Output, UVError>.self, let taker = subscriber as? RequestTaker<Output, UVError>
    {
      return taker.take(request)
    }
    guard let downstream = Downstream(own: subscriber) else {
      return ForeignRequestSubscription(subscriber, request).begin()
    }
    RequestSubscription(downstream) { $0 }.begin(request)
  }
}

/// A subscriber in type only: an operator hands it to the publisher of a request, which recognises it, and uses none of
/// what a subscriber has.
@usableFromInline
protocol StartingSubscriber: Subscriber {}

extension StartingSubscriber {
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier() }
  @usableFromInline func receive(subscription: any Subscription) {}
  @usableFromInline func receive(_ input: Input) -> Subscribers.Demand { .none }
  @usableFromInline func receive(completion: Subscribers.Completion<Failure>) {}
}

/// How an operator comes by the request of its upstream publisher, whose type is a parameter there: a cast would copy
/// the request, with a case for each kind.
@usableFromInline
struct RequestTaker<Input, Failure: Error>: StartingSubscriber {
  @usableFromInline let take: (Request<Input>) -> Void

  @inlinable
  init(_ take: @escaping (Request<Input>) -> Void) { self.take = take }
}

/// One run of a request for a subscriber, and the `map` that follows it. It is the microtask that delivers an answer
/// which is known when the request is to start.
@usableFromInline
final class RequestSubscription<Value, Output>: _Microtask, Subscription {
  /// The request's state. All states keep what they need in the same memory.
  @usableFromInline
  enum Progress {
    case waiting(Request<Value>)
    case running(PendingRequest)
    /// The answer was known at once. The function delivers it: one without captures is specialised where it is
    /// formed, and `run()` isn't.
    case answered((RequestSubscription) -> Void)
    case over
  }

  @usableFromInline @exclusivity(unchecked) var progress = Progress.over
  /// Makes the output of the request's value.
  @usableFromInline let transform: (Value) -> Output
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var downstream: Delivery<Output, UVError>?
  /// Holds the answer that was known at once, until it is delivered.
  @usableFromInline @exclusivity(unchecked) var storage = OutcomeStorage()
  @usableFromInline @exclusivity(unchecked) var hasDemand = false
  @usableFromInline @exclusivity(unchecked) var isSubscribing = true

  @inlinable
  init(_ downstream: Downstream<Output, UVError>, _ transform: @escaping (Value) -> Output) {
    self.downstream = Delivery(to: downstream)
    self.transform = transform
    super.init()
  }

  deinit {
    // The loop has ended before the answer was delivered.
    guard case .answered(let finish) = progress else { return }
    downstream = nil
    finish(self)
  }

  /// Hands the subscription over, and starts the request if it was asked for meanwhile. So most requests need no
  /// place here.
  @inlinable
  func begin(_ request: Request<Value>) {
    downstream?.receive(link: self)
    isSubscribing = false
    if downstream == nil { return }
    if hasDemand { start(request) } else { progress = .waiting(request) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    require(demand > 0, "API violation: demand must not be zero")
    hasDemand = true
    guard !isSubscribing, case .waiting(let request) = progress else { return }
    progress = .over
    start(request)
  }

  @usableFromInline
  func cancel() {
    let last = downstream
    guard last != nil else { return }
    downstream = nil
    switch progress {
    case .waiting, .over: progress = .over
    case .running(let pending):
      progress = .over
      pending.cancel()
    case .answered: break  // It is dropped when it would be delivered.
    }
    _ = last
  }

  @inlinable
  func start(_ request: Request<Value>) {
    if let answer = request.answerIfKnown() {
      storage.store(answer)
      progress = .answered { $0.finish($0.storage.take(Result<Value, UVError>.self)) }
      return request.loop._enqueue(self)
    }
    progress = .running(request.start({ [self] in finish($0) }, void: { [self] in finish($0.typed()) }))
  }

  @usableFromInline
  override func run() { if case .answered(let deliver) = progress { deliver(self) } }

  @inlinable
  func finish(_ result: Result<Value, UVError>) {
    progress = .over
    guard let downstream else { return }
    switch result {
    case .success(let value):
      _ = downstream.receive(transform(value))
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
#endif
