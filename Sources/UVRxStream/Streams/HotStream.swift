/// A stream of many values as RxStream's operators see it.
///
/// ``Hot`` and its subclasses conform. A subclass whose operators return the subclass, such as
/// ``Observable``, declares these operators itself.
///
/// RxStream's `Hot`.
public protocol HotStream<Output, Failure>: AnyStream {}

extension HotStream {
  func derive<T>(_ step: @escaping StreamStep<Output, T, Failure>) -> Hot<T, Failure> {
    asHot.derive(into: Hot<T, Failure>(), step)
  }
}

extension HotStream {
  /// Calls `handler` with each value.
  @discardableResult
  public func on(_ handler: @escaping (Output) -> Void) -> Hot<Output, Failure> {
    derive(StreamSteps.on(handler))
  }

  /// Calls `handler` with each value and the one before it.
  @discardableResult
  public func onTransition(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Void
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.onTransition(handler))
  }

  /// Calls `handler` with each error, whether the stream goes on after it or ends with it.
  @discardableResult
  public func onError(_ handler: @escaping (Failure) -> Void) -> Hot<Output, Failure> {
    derive(StreamSteps.onError(handler))
  }

  /// Ends the stream if `handler` returns a termination for an error after which the stream would continue.
  @discardableResult
  public func mapError(_ handler: @escaping (Failure) -> Termination<Failure>?) -> Hot<Output, Failure> {
    derive(StreamSteps.mapError(handler))
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has received the end.
  @discardableResult
  public func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Hot<Output, Failure> {
    derive(StreamSteps.onTerminate(handler))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  @discardableResult
  public func map<T>(_ transform: @escaping (Output) -> T?) -> Hot<T, Failure> {
    derive(StreamSteps.compactMap(transform))
  }

  /// A stream of the results of `transform`: values, or errors after which the stream continues.
  @discardableResult
  public func resultMap<T>(_ transform: @escaping (Output) -> Result<T, Failure>) -> Hot<T, Failure> {
    derive(StreamSteps.resultMap(transform))
  }

  /// A stream of the results that `transform` passes to its second argument. `transform` calls that argument
  /// once, on any thread: with a value, with an error after which the stream continues, or with nil for
  /// neither. The stream ends after all of these calls.
  @discardableResult
  public func asyncMap<T>(
    _ transform: @escaping (Output, @escaping @Sendable (Result<T, Failure>?) -> Void) -> Void
  ) -> Hot<T, Failure> {
    let stream = asHot
    return stream.derive(
      into: Hot<T, Failure>(), answering: StreamSteps.asyncMap(through: stream.gate, transform))
  }

  /// A stream of the elements of each sequence that `transform` returns.
  @discardableResult
  public func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Hot<Elements.Element, Failure> {
    derive(StreamSteps.flatMap(transform))
  }

  /// A stream of the results of `scanner`, which gets its previous result, initially `initial`, and the next
  /// value.
  @discardableResult
  public func scan<T>(initial: T, scanner: @escaping (_ current: T, _ next: Output) -> T) -> Hot<T, Failure> {
    derive(StreamSteps.scan(initial, scanner))
  }

  /// A stream of one value, delivered when this stream ends: the last result of `reducer`, which gets its
  /// previous result, initially `initial`, and the next value.
  @discardableResult
  public func reduce<T>(initial: T, reducer: @escaping (_ current: T, _ next: Output) -> T) -> Hot<T, Failure>
  {
    derive(StreamSteps.reduce(initial, reducer))
  }

  /// The first `count` values, 1 or more, and then the end.
  @discardableResult
  public func first(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Hot<Output, Failure>
  {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The next `count` values, 1 or more, and then the end.
  @discardableResult
  public func next(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Hot<Output, Failure> {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The last `count` values, 1 or more, when the stream ends. If there are fewer, `partial` decides whether
  /// they are delivered.
  @discardableResult
  public func last(_ count: Int = 1, partial: Bool = true) -> Hot<Output, Failure> {
    derive(StreamSteps.last(count, partial: partial))
  }

  /// Values in groups of `size`, 1 or more. With `partial`, the stream ends with a group of the remaining
  /// values, which may be empty.
  @discardableResult
  public func buffer(size: Int, partial: Bool = true) -> Hot<[Output], Failure> {
    derive(StreamSteps.buffer(size, partial: partial))
  }

  /// With each value, the last `size` values, 1 or more. With `partial`, the first windows are smaller, and a
  /// stream shorter than `size` repeats its last window when it ends.
  @discardableResult
  public func window(size: Int, partial: Bool = false) -> Hot<[Output], Failure> {
    derive(StreamSteps.window(size, partial: partial))
  }

  /// With each value, the values that came within `size` before it, at most `limit`.
  @discardableResult
  public func window(size: Duration, limit: Int? = nil) -> Hot<[Output], Failure> {
    derive(StreamSteps.window(size, limit: limit))
  }

  /// The values for which `include` returns true.
  @discardableResult
  public func filter(include: @escaping (Output) -> Bool) -> Hot<Output, Failure> {
    derive(StreamSteps.filter(include))
  }

  /// The value number `stride`, 1 or more, and every `stride`th value after it.
  @discardableResult
  public func stride(_ stride: Int) -> Hot<Output, Failure> {
    derive(StreamSteps.stride(stride))
  }
}
