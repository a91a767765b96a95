#if canImport(Combine) || Futures || Everything
import UV

/// A subscription to a `flatMap` of a request. It has one value at most, so there is one inner publisher. What that
/// sends passes through, if all of it is wanted.
@usableFromInline
final class RequestFlatMap<Input, Child: Publisher, Failure: Error>: DescribedSubscription {
  @usableFromInline typealias Output = Child.Output
  @usableFromInline typealias Node = FlatMapNode<Input, UVError, Child, Failure>

  @usableFromInline static var operatorName: String { Node.operatorName }

  @usableFromInline let transform: (Input) -> Child
  @usableFromInline let height: Int
  @usableFromInline @exclusivity(unchecked) var pending = PendingRequest()
  /// Nil once the subscription is over, or a node has it.
  @usableFromInline @exclusivity(unchecked) var downstream: Delivery<Output, Failure>?
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var inner: Link?

  @inlinable
  init(_ downstream: Downstream<Output, Failure>, _ transform: @escaping (Input) -> Child) {
    let downstream = downstream.grounded()
    height = downstream.height + 1
    self.downstream = Delivery(to: downstream)
    self.transform = transform
  }

  /// Hands the subscription over, and starts the request.
  @inlinable
  func begin(_ request: Request<Input>) {
    downstream?.receive(link: self)
    if downstream == nil { return }
    pending = request.start({ [self] in didAnswer($0) }, void: { [self] in didAnswer($0.typed()) })
  }

  @inlinable
  func didAnswer(_ result: Result<Input, UVError>) {
    // It may hold on to more than its answer.
    pending = PendingRequest()
    guard downstream != nil else { return }
    switch result {
    case .failure(let error): end(.failure(error as! Failure))
    case .success(let input):
      if demand == .unlimited { return attach(to: transform(input)) }
      // Values that aren't wanted yet wait there. The node has the subscriber from here on, and lets go of it.
      let node = Node(downstream!, height, .unlimited, transform)
      if demand > 0 { node.request(demand) }
      (inner, downstream) = (node, nil)
      node.receiveOuter(input)
      node.receiveOuter(.finished)
    }
  }

  @inlinable
  func attach(to child: Child) {
    // Transforming may have cancelled.
    guard downstream != nil else { return }
    if Child.self == RequestPublisher<Output>.self {
      return child.receive(subscriber: RequestTaker<Output, Child.Failure> { [self] in start($0) })
    }
    Downstream<Output, Child.Failure>(self, height: height + 1) { [self] in receive($0) }.grounded()
      .attach(to: child)
  }

  /// Starts the child's request, which is wanted, without a subscription.
  @inlinable
  func start(_ request: Request<Output>) {
    pending = request.start({ [self] in childDidAnswer($0) }, void: { [self] in childDidAnswer($0.typed()) })
  }

  @inlinable
  func childDidAnswer(_ result: Result<Output, UVError>) {
    pending = PendingRequest()
    switch result {
    case .success(let output):
      _ = downstream?.receive(output)
      end(.finished)
    case .failure(let error): end(.failure(error as! Failure))
    }
  }

  @inlinable
  func receive(_ signal: Signal<Output, Child.Failure>) -> Subscribers.Demand {
    switch signal {
    case .value(let output): return downstream?.receive(output) ?? .none
    case .subscription(let link):
      guard downstream != nil, inner == nil else {
        link.cancel()
        break
      }
      inner = link
      link.request(.unlimited)
    case .completion(.finished): end(.finished)
    case .completion(.failure(let error)): end(.failure(error as! Failure))
    }
    return .none
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Failure>) {
    guard let downstream = downstream.take() else { return }
    inner = nil
    downstream.receive(completion: completion)
  }

  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    demand += more
    ask(inner, for: more)
  }

  @usableFromInline
  func cancel() {
    let (last, link) = (downstream, inner)
    guard last != nil || link != nil else { return }
    (downstream, inner) = (nil, nil)
    pending.cancel()
    link?.cancel()
    _ = last
  }
}
#endif
