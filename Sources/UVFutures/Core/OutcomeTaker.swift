#if canImport(Combine) || Futures || Everything
/// How an operator asks a future, or the `map` of one, how it has ended. A future that hasn't ended doesn't answer.
@usableFromInline
struct OutcomeTaker<Input, Failure: Error>: StartingSubscriber {
  // Sound: a local variable of the function that asks, which nobody uses once that has returned.
  @usableFromInline let place: UnsafeMutablePointer<Result<Input, Failure>?>

  @inlinable
  init(_ place: UnsafeMutablePointer<Result<Input, Failure>?>) { self.place = place }

  @inlinable
  func take(_ outcome: Result<Input, Failure>) { place.pointee = outcome }

  /// How `publisher` has ended; nil if it hasn't, or is no future.
  @inlinable @inline(__always)
  static func outcome<P: Publisher>(of publisher: P) -> Result<Input, Failure>?
  where P.Output == Input, P.Failure == Failure {
    var outcome: Result<Input, Failure>?
    withUnsafeMutablePointer(to: &outcome) { publisher.receive(subscriber: OutcomeTaker($0)) }
    return outcome
  }
}
#endif
