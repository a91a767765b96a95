#if canImport(Combine) || Futures || Everything
public import UV

/// A subscription to a `flatMap`: the subscriber of the upstream publisher and of each publisher made from
/// its values. Each of them fails with `Failure`, or can't fail.
@usableFromInline
final class FlatMapNode<Input, InputFailure: Error, Child: Publisher, Failure: Error>: PublisherInner,
  DescribedSubscription
{
  @usableFromInline typealias Output = Child.Output

  /// The publisher that is flattened may say that it is there for another operator.
  @usableFromInline static var operatorName: String {
    (Child.self as? any NamedOperator.Type)?.operatorName ?? "FlatMap"
  }

  /// How the inner publishers are subscribed to.
  @usableFromInline
  enum Kind: UInt8 {
    /// Publishers whose signals may come on any thread.
    case any
    /// Publishers whose signals come on the loop's thread.
    case confined
    /// Requests on the loop's thread, which are started without a subscription.
    case requests
    /// The same, each behind a `map`.
    case mappedRequests
    /// Futures, or a `map` of each.
    case futures
  }

  /// The values that the upstream publisher is asked for.
  @usableFromInline
  enum Outer: UInt8 {
    /// Everything at once.
    case everything
    /// One value, and another one when the publisher made from it has ended.
    case one
    /// As many as `rest` says, and another one for each that has ended.
    case some
    /// Nothing: it has finished.
    case finished
  }

  // These fill a word.
  @usableFromInline let kind: Kind
  @usableFromInline @exclusivity(unchecked) var outerDemand: Outer
  /// The height. One above 127 stands as the one from 64 to 127 that is as far from a landing: nothing else of it counts.
  @usableFromInline let height8: UInt8
  /// Whether there is something in the buffer: the array's own count is that of a generic type, looked up
  /// each time.
  @usableFromInline @exclusivity(unchecked) var isBuffering = false
  /// Whether this object, which is one too, has been used for an inner publisher. A request leaves it as it
  /// was.
  @usableFromInline @exclusivity(unchecked) var isUsed = false
  /// Whether a signal is being delivered downstream, so that its demand is only noted.
  @usableFromInline @exclusivity(unchecked) var isDelivering = false
  /// How many publishers are under way that aren't in the list: requests that start or have ended, and futures that are
  /// settled. Each may make another one meanwhile, or end upstream.
  @usableFromInline @exclusivity(unchecked) var passing: UInt16 = 0
  @usableFromInline let transform: (Input) -> Child
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var downstream: Delivery<Output, Failure>?
  @usableFromInline @exclusivity(unchecked) var outer: Link?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var firstInner: FlatMapInner?
  /// Nil until it is needed. Sound: retained when it is made, released in `deinit`. As an object it would be retained
  /// for each use.
  @usableFromInline @exclusivity(unchecked) var rest: Unmanaged<FlatMapRest<Output>>?

  @inlinable
  var height: Int { Int(height8) }

  /// The gate that every signal goes through where there is no loop; nil on one.
  @inlinable
  var gate: Gate? { rest?.takeUnretainedValue().gate }

  /// The object for ``rest``, made now if there is none.
  @inlinable
  func makeRest() -> Unmanaged<FlatMapRest<Output>> {
    if let rest { return rest }
    let rest = Unmanaged.passRetained(FlatMapRest<Output>(nil, .none))
    self.rest = rest
    return rest
  }

  /// The kind of publishers that stay on their loop.
  @inlinable
  static var kindOfConfined: Kind {
    if Child.self == RequestPublisher<Output>.self { return .requests }
    if Child.self == Future<Output, Child.Failure>.self { return .futures }
    guard let map = Child.self as? any KnownMap.Type else { return .confined }
    return map.mapsRequests ? .mappedRequests : map.mapsFutures ? .futures : .confined
  }

  @inlinable
  convenience init(
    _ downstream: Downstream<Output, Failure>, _ maxPublishers: Subscribers.Demand,
    _ transform: @escaping (Input) -> Child
  ) {
    let downstream = downstream.grounded()
    self.init(Delivery(to: downstream), downstream.height + 1, maxPublishers, transform)
  }

  @inlinable
  init(
    _ downstream: Delivery<Output, Failure>, _ height: Int, _ maxPublishers: Subscribers.Demand,
    _ transform: @escaping (Input) -> Child
  ) {
    let gate = Gate.unlessOnLoop
    if gate != nil || !(Child.self is any LoopPublisher.Type) {
      kind = .any
    } else {
      kind = FlatMapNode.kindOfConfined
    }
    self.downstream = downstream
    self.transform = transform
    outerDemand = maxPublishers == .unlimited ? .everything : maxPublishers == .max(1) ? .one : .some
    height8 = UInt8(truncatingIfNeeded: height < 128 ? height : 64 + height % 64)
    if gate != nil || outerDemand == .some {
      rest = .passRetained(FlatMapRest(gate, maxPublishers))
    }
    super.init()
  }

  deinit { rest?.release() }

  /// Hands the subscription over, which comes before everything else.
  @inlinable
  func begin() { downstream?.receive(link: gate?.guarding(self) ?? self) }

  // MARK: Upstream

  @inlinable
  func receiveOuter(_ subscription: Link) {
    guard downstream != nil, outer == nil, outerDemand != .finished else { return subscription.cancel() }
    outer = subscription
    switch outerDemand {
    case .everything: subscription.request(.unlimited)
    case .one: subscription.request(.max(1))
    case .some, .finished: subscription.request(rest!.takeUnretainedValue().maxPublishers)
    }
  }

  @inlinable
  func receiveOuter(_ input: Input) {
    guard downstream != nil else { return }
    let child = transform(input)
    // Transforming may have cancelled.
    guard downstream != nil else { return }
    if kind == .requests {
      return child.receive(subscriber: RequestTaker<Output, Child.Failure> { [self] in start($0) })
    }
    if kind == .mappedRequests { return startMapped(child) }
    if kind == .futures, passOutcome(of: child) { return }
    subscribe(to: child)
  }

  @inlinable
  func subscribe(to child: Child) {
    let isConfined = kind != .any
    if isUsed {
      let inner = insertChild()
      let step = Downstream<Output, Child.Failure>(
        CombineIdentifier(inner), FlatMapNode.self, height: height + 1
      ) { signal in
        guard let node = inner.node else {
          // One that comes after the end.
          if case .subscription(let subscription) = signal { subscription.cancel() }
          return .none
        }
        return unsafeDowncast(node, to: FlatMapNode.self).receive(signal, from: inner)
      }.grounded()
      if isConfined { step.attach(to: child) } else { step.attach(toAny: child, through: gate) }
    } else {
      isUsed = true
      insert(self)
      let step = Downstream<Output, Child.Failure>(self, height: height + 1) { [self] in
        receive($0, from: self)
      }
      .grounded()
      if isConfined { step.attach(to: child) } else { step.attach(toAny: child, through: gate) }
    }
  }

  @inlinable
  var upstream: Downstream<Input, InputFailure> {
    let step = Downstream<Input, InputFailure>(self, height: height) { [self] signal in
      switch signal {
      case .value(let value): receiveOuter(value)
      case .subscription(let subscription): receiveOuter(subscription)
      case .completion(.finished): receiveOuter(.finished)
      case .completion(.failure(let error)): receiveOuter(.failure(error as! Failure))
      }
      return .none
    }
    return gate?.guarding(step) ?? step
  }

  @inlinable
  func receiveOuter(_ completion: Subscribers.Completion<Failure>) {
    outer = nil
    outerDemand = .finished
    switch completion {
    case .finished: finishIfDone()
    case .failure: end(completion)
    }
  }

  // MARK: Inner publishers

  @inlinable
  func receive(_ signal: Signal<Output, Child.Failure>, from inner: PublisherInner) -> Subscribers.Demand {
    switch signal {
    case .value(let output): return receive(output, from: inner)
    case .subscription(let subscription): receive(subscription, from: inner)
    case .completion(let completion): receive(completion, from: inner)
    }
    return .none
  }

  @inlinable
  func receive(_ subscription: Link, from inner: PublisherInner) {
    guard downstream != nil, inner.isLinked, inner.subscription == nil else { return subscription.cancel() }
    inner.subscription = subscription
    inner.isUnlimited = demand == .unlimited
    subscription.request(inner.isUnlimited ? .unlimited : .max(1))
  }

  @inlinable
  func receive(_ output: Output, from inner: PublisherInner) -> Subscribers.Demand {
    guard let downstream else { return .none }
    if demand == .none || isBuffering {
      keep(output, from: inner)
      return .none
    }
    demand -= 1
    deliver(output, to: downstream)
    if isBuffering { drainIfWanted() }
    return furtherDemand(for: inner)
  }

  /// Puts a value that isn't wanted yet into the buffer.
  @inlinable
  func keep(_ output: Output, from inner: PublisherInner) {
    isBuffering = true
    makeRest().takeUnretainedValue().buffer.append((inner, output))
  }

  /// Delivers the values that came during a delivery, and were not wanted then.
  @inlinable
  func drainIfWanted() {
    guard demand > 0, !isDelivering else { return }
    drain()
    if outerDemand == .finished { finishIfDone() }
  }

  /// The demand that an inner publisher gets after a value of its own has been delivered.
  @inlinable
  func furtherDemand(for inner: FlatMapInner) -> Subscribers.Demand {
    if inner.isUnlimited { return .none }
    inner.isUnlimited = demand == .unlimited
    return inner.isUnlimited ? .unlimited : .max(1)
  }

  @inlinable
  func deliver(_ output: Output, to downstream: Delivery<Output, Failure>) {
    let wasDelivering = isDelivering
    isDelivering = true
    demand += downstream.receive(output)
    isDelivering = wasDelivering
  }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Child.Failure>, from inner: PublisherInner) {
    guard inner.isLinked else { return }
    remove(publisher: inner)
    switch completion {
    case .finished:
      if !finishIfDone(), outerDemand != .everything { ask(outer, for: .max(1)) }
    case .failure(let error): fail(error)
    }
  }

  @inlinable
  func fail(_ error: Child.Failure) {
    // Combine leaves the upstream publisher alone. A source is let go: it would be read for nobody.
    if outer is any ForeignSubscription { outer = nil }
    end(.failure(error as! Failure))
  }
}
#endif
