/// Operators on the answers; those of ``Hot``.
extension Cold {
  /// Calls `handler` with each value.
  ///
  /// RxStream's `on(_:)`.
  @discardableResult
  public final func on(_ handler: @escaping (Output) -> Void) -> Cold<Request, Output, Failure> {
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
  public final func onTransition(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Void
  ) -> Cold<Request, Output, Failure> {
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
  public final func onError(_ handler: @escaping (Failure) -> Void) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.onError(handler))
  }

  /// Ends as `handler` says where that makes a termination of an error after which the stream would go on.
  ///
  /// RxStream's `mapError(_:)`.
  @discardableResult
  public final func mapError(
    _ handler: @escaping (Failure) -> Termination<Failure>?
  ) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.mapError(handler))
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has been told.
  ///
  /// RxStream's `onTerminate(_:)`.
  @discardableResult
  public final func onTerminate(
    _ handler: @escaping (Termination<Failure>) -> Void
  ) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.onTerminate(handler))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  ///
  /// RxStream's `map(_:)`.
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T) -> Cold<Request, T, Failure> {
    derive(StreamSteps.mapWithoutNil(transform))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  ///
  /// RxStream's `map(_:)`.
  @_disfavoredOverload
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T?) -> Cold<Request, T, Failure> {
    derive(StreamSteps.compactMap(transform))
  }

  /// A stream of what `transform` makes of the values: others, or errors after which it goes on.
  ///
  /// RxStream's `resultMap(_:)`.
  @discardableResult
  public final func resultMap<T>(_ transform: @escaping (Output) -> Result<T, Failure>) -> Cold<
    Request, T, Failure
  > {
    derive(StreamSteps.resultMap(transform))
  }

  /// A stream of what `transform` hands to its second argument, which it calls once, on any thread: a value, an error after which
  /// the stream goes on, or nil for neither. The end waits for those that have not been called.
  ///
  /// RxStream's `asyncMap(_:)`.
  @discardableResult
  public final func asyncMap<T>(
    _ transform: @escaping (Output, @escaping (Result<T, Failure>?) -> Void) -> Void
  ) -> Cold<Request, T, Failure> {
    derive(StreamSteps.asyncMap(transform))
  }

  /// A stream of the elements of what `transform` makes of each value.
  ///
  /// RxStream's `flatMap(_:)`.
  @discardableResult
  public final func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Cold<Request, Elements.Element, Failure> {
    derive(StreamSteps.flatMap(transform))
  }

  /// A stream of what `scanner` makes of each value and its last result, which at first is `initial`.
  ///
  /// RxStream's `scan(initial:scanner:)`.
  @discardableResult
  public final func scan<T>(
    initial: T, scanner: @escaping (_ current: T, _ next: Output) -> T
  ) -> Cold<Request, T, Failure> {
    derive(StreamSteps.scan(initial, scanner))
  }

  /// A stream of one value at the end: what `reducer` has made of all.
  ///
  /// RxStream's `reduce(initial:reducer:)`.
  @discardableResult
  public final func reduce<T>(
    initial: T, reducer: @escaping (_ current: T, _ next: Output) -> T
  ) -> Cold<Request, T, Failure> {
    derive(StreamSteps.reduce(initial, reducer))
  }

  /// The first `count` values, 1 or more, and then the end.
  ///
  /// RxStream's `first(_:then:)`.
  @discardableResult
  public final func first(
    _ count: Int = 1, then reason: Termination<Failure> = .cancelled
  ) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The next `count` values, 1 or more, and then the end.
  ///
  /// RxStream's `next(_:then:)`.
  @discardableResult
  public final func next(
    _ count: Int = 1, then reason: Termination<Failure> = .cancelled
  ) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The last `count` values, 1 or more, when the stream ends; fewer, if there are fewer, where `partial` says so.
  ///
  /// RxStream's `last(_:partial:)`.
  @discardableResult
  public final func last(_ count: Int = 1, partial: Bool = true) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.last(count, partial: partial))
  }

  /// Values in groups of `size`, 1 or more; at the end the rest, which may be none, where `partial` says so.
  ///
  /// RxStream's `buffer(size:partial:)`.
  @discardableResult
  public final func buffer(size: Int, partial: Bool = true) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.buffer(size, partial: partial))
  }

  /// With each value the last `size`, 1 or more; fewer at the beginning, and once more at the end of a stream that was shorter,
  /// where `partial` says so.
  ///
  /// RxStream's `window(size:partial:)`.
  @discardableResult
  public final func window(size: Int, partial: Bool = false) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.window(size, partial: partial))
  }

  /// With each value those that have come within `size`, at most `limit`.
  ///
  /// RxStream's `window(size:limit:)`.
  @discardableResult
  public final func window(size: Duration, limit: Int? = nil) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.window(size, limit: limit))
  }

  /// The values that `include` says.
  ///
  /// RxStream's `filter(include:)`.
  @discardableResult
  public final func filter(include: @escaping (Output) -> Bool) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.filter(include))
  }

  /// Every value whose number, counted from 1, `stride` divides; it is 1 or more.
  ///
  /// RxStream's `stride(_:)`.
  @discardableResult
  public final func stride(_ stride: Int) -> Cold<Request, Output, Failure> {
    derive(StreamSteps.stride(stride))
  }
}
