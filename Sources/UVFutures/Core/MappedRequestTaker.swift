#if canImport(Combine) || Futures || Everything
import UV

/// How a `flatMap` has the `map` of a request started. It asks for the value at once, so neither a subscription nor the
/// signals of one are needed.
@usableFromInline
struct MappedRequestTaker<Input, Failure: Error>: StartingSubscriber {
  // Sound: a local variable of `start(_:in:_:)`, which nobody uses once that has returned.
  /// Holds a request that has ended, to be used again, if there is one; and then the one that was started.
  @usableFromInline let place: UnsafeMutablePointer<FlatMapInner?>
  /// Called with the answer.
  @usableFromInline let answer: (FlatMapInner, Result<Input, UVError>) -> Void

  @inlinable
  init(
    _ place: UnsafeMutablePointer<FlatMapInner?>,
    _ answer: @escaping (FlatMapInner, Result<Input, UVError>) -> Void
  ) {
    (self.place, self.answer) = (place, answer)
  }

  /// Starts the request of `publisher`.
  @inlinable @inline(__always)
  static func start<P: Publisher>(
    _ publisher: P, in spare: FlatMapInner?,
    _ answer: @escaping (FlatMapInner, Result<Input, UVError>) -> Void
  ) -> RequestInner where P.Output == Input, P.Failure == Failure {
    var place = spare
    withUnsafeMutablePointer(to: &place) { publisher.receive(subscriber: Self($0, answer)) }
    // Sound: `Map` puts one of these there.
    return unsafeDowncast(place.take()!, to: RequestInner.self)
  }
}
#endif
