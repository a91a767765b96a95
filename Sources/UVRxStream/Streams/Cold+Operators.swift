/// Operators on the answers; those of ``Hot``.
extension Cold {
  /// Calls `handler` with each value.
  @discardableResult
  public final func on(_ handler: @escaping (Output) -> Void) -> Cold {
    derive(StreamSteps.on(handler))
  }

  /// Calls `handler` with each value and the one before it.
  @discardableResult
  public final func onTransition(_ handler: @escaping (_ prior: Output?, _ next: Output) -> Void) -> Cold {
    derive(StreamSteps.onTransition(handler))
  }

  /// Calls `handler` with each error, whether the stream goes on after it or ends with it.
  @discardableResult
  public final func onError(_ handler: @escaping (Failure) -> Void) -> Cold {
    derive(StreamSteps.onError(handler))
  }

  /// Ends the stream if `handler` returns a termination for an error after which the stream would continue.
  @discardableResult
  public final func mapError(_ handler: @escaping (Failure) -> Termination<Failure>?) -> Cold {
    derive(StreamSteps.mapError(handler))
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has received the end.
  @discardableResult
  public final func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Cold {
    derive(StreamSteps.onTerminate(handler))
  }

  /// A stream of the transformed values; where `transform` returns nil, none is passed on.
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T?) -> Cold<Request, T, Failure> {
    derive(StreamSteps.compactMap(transform))
  }

  /// A stream of the results of `transform`: values, or errors after which the stream continues.
  @discardableResult
  public final func resultMap<T>(_ transform: @escaping (Output) -> Result<T, Failure>) -> Cold<
    Request, T, Failure
  > {
    derive(StreamSteps.resultMap(transform))
  }

  /// A stream of the results that `transform` passes to its second argument. `transform` calls that argument
  /// once, on any thread: with a value, with an error after which the stream continues, or with nil for
  /// neither. The stream ends after all of these calls.
  @discardableResult
  public final func asyncMap<T>(
    _ transform: @escaping (Output, @escaping @Sendable (Result<T, Failure>?) -> Void) -> Void
  ) -> Cold<Request, T, Failure> {
    let step: AsyncStreamStep<Output, T, Failure> = StreamSteps.asyncMap(through: gate, transform)
    return derive { step($0, $1) {} }
  }

  /// A stream of the elements of each sequence that `transform` returns.
  @discardableResult
  public final func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Cold<Request, Elements.Element, Failure> {
    derive(StreamSteps.flatMap(transform))
  }

  /// A stream of the results of `scanner`, which gets its previous result, initially `initial`, and the next
  /// value.
  @discardableResult
  public final func scan<T>(
    initial: T, scanner: @escaping (_ current: T, _ next: Output) -> T
  ) -> Cold<Request, T, Failure> {
    derive(StreamSteps.scan(initial, scanner))
  }

  /// A stream of one value, delivered when this stream ends: the last result of `reducer`, which gets its
  /// previous result, initially `initial`, and the next value.
  @discardableResult
  public final func reduce<T>(
    initial: T, reducer: @escaping (_ current: T, _ next: Output) -> T
  ) -> Cold<Request, T, Failure> {
    derive(StreamSteps.reduce(initial, reducer))
  }

  /// The first `count` values, 1 or more, and then the end.
  @discardableResult
  public final func first(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Cold {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The next `count` values, 1 or more, and then the end.
  @discardableResult
  public final func next(_ count: Int = 1, then reason: Termination<Failure> = .cancelled) -> Cold {
    derive(StreamSteps.first(count, then: reason))
  }

  /// The last `count` values, 1 or more, when the stream ends. If there are fewer, `partial` decides whether
  /// they are delivered.
  @discardableResult
  public final func last(_ count: Int = 1, partial: Bool = true) -> Cold {
    derive(StreamSteps.last(count, partial: partial))
  }

  /// Values in groups of `size`, 1 or more. With `partial`, the stream ends with a group of the remaining
  /// values, which may be empty.
  @discardableResult
  public final func buffer(size: Int, partial: Bool = true) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.buffer(size, partial: partial))
  }

  /// With each value, the last `size` values, 1 or more. With `partial`, the first windows are smaller, and a
  /// stream shorter than `size` repeats its last window when it ends.
  @discardableResult
  public final func window(size: Int, partial: Bool = false) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.window(size, partial: partial))
  }

  /// With each value, the values that came within `size` before it, at most `limit`.
  @discardableResult
  public final func window(size: Duration, limit: Int? = nil) -> Cold<Request, [Output], Failure> {
    derive(StreamSteps.window(size, limit: limit))
  }

  /// The values for which `include` returns true.
  @discardableResult
  public final func filter(include: @escaping (Output) -> Bool) -> Cold {
    derive(StreamSteps.filter(include))
  }

  /// The value number `stride`, 1 or more, and every `stride`th value after it.
  @discardableResult
  public final func stride(_ stride: Int) -> Cold {
    derive(StreamSteps.stride(stride))
  }
}
