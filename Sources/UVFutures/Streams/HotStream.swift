/// A stream of many values as RxStream's operators see it.
///
/// ``Hot`` and its kinds conform. A kind that returns itself from an operator, as ``Observable`` does, has an operator of its
/// own of the same name.
///
/// RxStream's `Hot`.
public protocol HotStream<Output, Failure>: LoopPublisher, AnyObject {
  /// The same object by the type that all kinds share.
  var asHot: Hot<Output, Failure> { get }
}

extension HotStream {
  func derive<T>(_ step: @escaping StreamStep<Output, T, Failure>) -> Hot<T, Failure> {
    asHot.derive(into: Hot<T, Failure>(), step)
  }
}

extension HotStream {
  /// Calls `handler` with each value.
  ///
  /// RxStream's `on(_:)`.
  @discardableResult
  public func on(_ handler: @escaping (Output) -> Void) -> Hot<Output, Failure> {
    derive(
      StreamSteps.map {
        handler($0)
        return $0
      })
  }

  /// Calls `handler` with each value and the one before it.
  ///
  /// RxStream's `onTransition(_:)`.
  @discardableResult
  public func onTransition(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Void
  ) -> Hot<Output, Failure> {
    var prior: Output?
    return derive(
      StreamSteps.map {
        handler(prior, $0)
        prior = $0
        return $0
      })
  }

  /// Calls `handler` with each error, whether the stream goes on after it or ends with it.
  ///
  /// RxStream's `onError(_:)`.
  @discardableResult
  public func onError(_ handler: @escaping (Failure) -> Void) -> Hot<Output, Failure> {
    derive(StreamSteps.onError(handler))
  }

  /// Ends as `handler` says where that makes a termination of an error after which the stream would go on.
  ///
  /// RxStream's `mapError(_:)`.
  @discardableResult
  public func mapError(_ handler: @escaping (Failure) -> Termination<Failure>?) -> Hot<Output, Failure> {
    derive(StreamSteps.mapError(handler))
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has been told.
  ///
  /// RxStream's `onTerminate(_:)`.
  @discardableResult
  public func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Hot<Output, Failure> {
    derive(StreamSteps.onTerminate(handler))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  ///
  /// RxStream's `map(_:)`.
  @discardableResult
  public func map<T>(_ transform: @escaping (Output) -> T) -> Hot<T, Failure> {
    derive(StreamSteps.mapWithoutNil(transform))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  ///
  /// RxStream's `map(_:)`.
  @_disfavoredOverload  // As the compiler would try both at each step of a chain.
  @discardableResult
  public func map<T>(_ transform: @escaping (Output) -> T?) -> Hot<T, Failure> {
    derive(StreamSteps.compactMap(transform))
  }

  /// A stream of what `transform` makes of the values: others, or errors after which it goes on.
  ///
  /// RxStream's `resultMap(_:)`.
  @discardableResult
  public func resultMap<T>(_ transform: @escaping (Output) -> Result<T, Failure>) -> Hot<T, Failure> {
    derive(StreamSteps.resultMap(transform))
  }

  /// A stream of what `transform` hands to its second argument, which it calls once, on any thread: a value, an error after which
  /// the stream goes on, or nil for neither. The end waits for those that have not been called.
  ///
  /// RxStream's `asyncMap(_:)`.
  @discardableResult
  public func asyncMap<T>(
    _ transform: @escaping (Output, @escaping (Result<T, Failure>?) -> Void) -> Void
  ) -> Hot<T, Failure> {
    derive(StreamSteps.asyncMap(transform))
  }

  /// A stream of the elements of what `transform` makes of each value.
  ///
  /// RxStream's `flatMap(_:)`.
  @discardableResult
  public func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Hot<Elements.Element, Failure> {
    derive(StreamSteps.flatMap(transform))
  }

  /// A stream of what `scanner` makes of each value and its last result, which at first is `initial`.
  ///
  /// RxStream's `scan(initial:scanner:)`.
  @discardableResult
  public func scan<T>(initial: T, scanner: @escaping (_ current: T, _ next: Output) -> T) -> Hot<T, Failure> {
    derive(StreamSteps.scan(initial, scanner))
  }

  /// A stream of one value at the end: what `reducer` has made of all.
  ///
  /// RxStream's `reduce(initial:reducer:)`.
  @discardableResult
  public func reduce<T>(initial: T, reducer: @escaping (_ current: T, _ next: Output) -> T) -> Hot<T, Failure>
  {
    derive(StreamSteps.reduce(initial, reducer))
  }

  /// The first `count` values, 1 or more, and then the end.
  ///
  /// RxStream's `first(_:then:)`.
  @discardableResult
  public func first(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Hot<Output, Failure>
  {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The next `count` values, 1 or more, and then the end.
  ///
  /// RxStream's `next(_:then:)`.
  @discardableResult
  public func next(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Hot<Output, Failure> {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The last `count` values, 1 or more, when the stream ends; fewer, if there are fewer, where `partial` says so.
  ///
  /// RxStream's `last(_:partial:)`.
  @discardableResult
  public func last(_ count: Int = 1, partial: Bool = true) -> Hot<Output, Failure> {
    derive(StreamSteps.last(count, partial: partial))
  }

  /// Values in groups of `size`, 1 or more; at the end the rest, which may be none, where `partial` says so.
  ///
  /// RxStream's `buffer(size:partial:)`.
  @discardableResult
  public func buffer(size: Int, partial: Bool = true) -> Hot<[Output], Failure> {
    derive(StreamSteps.buffer(size, partial: partial))
  }

  /// With each value the last `size`, 1 or more; fewer at the beginning, and once more at the end of a stream that was shorter,
  /// where `partial` says so.
  ///
  /// RxStream's `window(size:partial:)`.
  @discardableResult
  public func window(size: Int, partial: Bool = false) -> Hot<[Output], Failure> {
    derive(StreamSteps.window(size, partial: partial))
  }

  /// With each value those that have come within `size`, at most `limit`.
  ///
  /// RxStream's `window(size:limit:)`.
  @discardableResult
  public func window(size: Duration, limit: Int? = nil) -> Hot<[Output], Failure> {
    derive(StreamSteps.window(size, limit: limit))
  }

  /// The values that `include` says.
  ///
  /// RxStream's `filter(include:)`.
  @discardableResult
  public func filter(include: @escaping (Output) -> Bool) -> Hot<Output, Failure> {
    derive(StreamSteps.filter(include))
  }

  /// Every value whose number, counted from 1, `stride` divides; it is 1 or more.
  ///
  /// RxStream's `stride(_:)`.
  @discardableResult
  public func stride(_ stride: Int) -> Hot<Output, Failure> {
    derive(StreamSteps.stride(stride))
  }
}
