#if canImport(Combine) || Futures || Everything
import UV

/// Inner publishers that are requests: `connection.publisher().flatMap { connection.write($0).publisher() }`.
///
/// A request has one value or an error, and starts when it is asked for that. A node asks each inner
/// publisher at once. So it may as well start the request itself: without a subscription, and without the
/// three signals that one sends.
extension FlatMapNode {
  @inlinable
  func start(_ request: Request<Output>) {
    let inner = insertForRequest()
    let pending = request.start(
      { FlatMapNode.requestEnded($0, inner) }, void: { FlatMapNode.requestEnded($0.typed(), inner) })
    // It has ended already if the loop has.
    if !pending.isEmpty, inner.isLinked { inner.subscription = RunningRequest(pending) }
  }

  @inlinable
  func insertForRequest() -> PublisherInner {
    if isUsed { return insertChild() }
    isUsed = true
    insert(self)
    return self
  }

  @inlinable
  static func requestEnded(_ result: Result<Output, UVError>, _ inner: PublisherInner) {
    // Not if it was cancelled.
    guard inner.isLinked else { return }
    // Sound: what isn't a child is a node. No other node has had this inner publisher.
    let node =
      type(of: inner) == FlatMapChild.self ? unsafeDowncast(inner, to: FlatMapChild.self).node! : inner
    unsafeDowncast(node, to: FlatMapNode.self).end(inner, result)
  }

  @inlinable
  func end(_ inner: PublisherInner, _ result: Result<Output, UVError>) {
    passing &+= 1
    remove(publisher: inner)
    // A request that has ended reports nothing more.
    if inner === self { isUsed = false }
    pass(result)
  }

  @inlinable
  func pass(_ result: Result<Output, UVError>) {
    switch result {
    case .success(let output): pass(outcome: .success(output))
    case .failure(let error): pass(outcome: .failure(error as! Child.Failure))
    }
  }

  // MARK: Behind a `map`

  @inlinable
  func startMapped(_ child: Child) {
    // To start it may end the upstream publisher.
    passing &+= 1
    let inner = MappedRequestTaker<Output, Child.Failure>.start(child, in: takeSpare()) { [self] in
      endMapped($0, $1)
    }
    passing &-= 1
    // It may have cancelled, too.
    if downstream == nil { inner.cancel() } else { insert(inner) }
  }

  @inlinable
  func endMapped(_ inner: FlatMapInner, _ result: Result<Output, UVError>) {
    // Not if transforming it has cancelled.
    guard inner.isLinked else { return }
    passing &+= 1
    remove(inner)
    pass(result)
  }
}

/// A request that doesn't end at once, as a subscription that can be cancelled.
@usableFromInline
final class RunningRequest: Subscription {
  private let pending: PendingRequest

  @usableFromInline
  init(_ pending: PendingRequest) { self.pending = pending }

  /// Does nothing: the request has been started.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() { pending.cancel() }
}
#endif
