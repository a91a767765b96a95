#if canImport(Combine) || Futures || Everything
import UV

/// A `map`, which may be one of a request.
@usableFromInline
protocol RequestMap {
  static var mapsRequests: Bool { get }
}

/// How a `flatMap` has the `map` of a request started. It asks for the value at once, so neither a subscription nor the
/// signals of one are needed.
@usableFromInline
struct MappedRequestTaker<Input, Failure: Error>: StartingSubscriber {
  /// Called with what makes the answer, which may not be wanted any more.
  @usableFromInline let answer: (() -> Result<Input, UVError>) -> Void
  /// Called with the request once it has started.
  @usableFromInline let take: (Link) -> Void

  @inlinable
  init(
    answer: @escaping (() -> Result<Input, UVError>) -> Void, take: @escaping (Link) -> Void
  ) {
    (self.answer, self.take) = (answer, take)
  }
}

/// A request that runs, and the `map` behind it.
@usableFromInline
final class MappedRequest<Value, Output>: Subscription {
  @usableFromInline let transform: (Value) -> Output
  @usableFromInline let answer: (() -> Result<Output, UVError>) -> Void
  @usableFromInline @exclusivity(unchecked) var pending = PendingRequest()

  @inlinable
  init(
    _ transform: @escaping (Value) -> Output, _ answer: @escaping (() -> Result<Output, UVError>) -> Void
  ) {
    (self.transform, self.answer) = (transform, answer)
  }

  @inlinable
  func start(_ request: Request<Value>) {
    pending = request.start({ [self] in finish($0) }, void: { [self] in finish($0.typed()) })
  }

  @inlinable
  func finish(_ result: Result<Value, UVError>) {
    pending = PendingRequest()
    answer { result.map(transform) }
  }

  /// Does nothing: the request has been started.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {}

  @usableFromInline
  func cancel() { pending.cancel() }
}
#endif
