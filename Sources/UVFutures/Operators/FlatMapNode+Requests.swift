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

  /// The same for a request behind a `map`.
  @inlinable
  func startMapped(_ child: Child) {
    let inner = insertForRequest()
    child.receive(
      subscriber: MappedRequestTaker<Output, Child.Failure>(
        answer: {
          // Not if it was cancelled, as below. The value is transformed for nobody then.
          if inner.isLinked { FlatMapNode.requestEnded($0(), inner) }
        },
        take: {
          if inner.isLinked { inner.subscription = $0 }
        }))
  }

  @inlinable
  func insertForRequest() -> FlatMapInner {
    let inner = isUsed ? takeSpare() ?? FlatMapInner() : self
    isUsed = true
    if inner !== self { inner.node = self }
    insert(inner)
    return inner
  }

  @inlinable
  static func requestEnded(_ result: Result<Output, UVError>, _ inner: FlatMapInner) {
    // Not if it was cancelled. Sound: no other node has had this inner publisher.
    guard inner.isLinked else { return }
    unsafeDowncast(inner.node ?? inner, to: FlatMapNode.self).receive(result: result, from: inner)
  }

  @inlinable
  func receive(result: Result<Output, UVError>, from inner: FlatMapInner) {
    switch result {
    case .success(let output):
      _ = receive(output, from: inner)
      receive(.finished, from: inner)
    case .failure(let error): receive(.failure(error as! Child.Failure), from: inner)
    }
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
