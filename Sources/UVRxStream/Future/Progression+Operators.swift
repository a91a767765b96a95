public import UV

/// Operators that stay progressions: progress goes on to what they return, and cancelling that cancels the
/// work.
extension Progression {
  private func continued<T>(_ future: Future<T, Failure>) -> Progression<Unit, T, Failure> {
    let child = Progression<Unit, T, Failure>()
    child.cancelTask = { [self] in cancel() }
    onProgress { [weak child] in child?.report($0) }
    return future.derive(into: child) { $1.settle($0) }
  }

  /// Calls `handler` with the value.
  @discardableResult
  public final func on(_ handler: @escaping (Output) -> Void) -> Progression {
    continued(asFuture.on(handler))
  }

  /// Calls `handler` with the error, if it ends with one.
  @discardableResult
  public final func onError(_ handler: @escaping (Failure) -> Void) -> Progression {
    continued(asFuture.onError(handler))
  }

  /// Calls `handler` with how it ends.
  @discardableResult
  public final func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Progression {
    continued(asFuture.onTerminate(handler))
  }

  /// Transforms the value; with nil there is none.
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T?) -> Progression<Unit, T, Failure> {
    continued(asFuture.map(transform) as Future<T, Failure>)
  }

  /// Makes another value or an error of the value.
  @discardableResult
  public final func resultMap<T>(_ transform: @escaping (Output) -> Result<T, Failure>) -> Progression<
    Unit, T, Failure
  > {
    continued(asFuture.resultMap(transform))
  }

  /// Makes what `transform` hands to its second argument of the value.
  @discardableResult
  public final func asyncMap<T>(
    _ transform: @escaping (Output, @escaping @Sendable (Result<T, Failure>?) -> Void) -> Void
  ) -> Progression<Unit, T, Failure> {
    continued(asFuture.asyncMap(transform))
  }

  /// Passes the value on if `include` says so.
  @discardableResult
  public final func filter(include: @escaping (Output) -> Bool) -> Progression {
    continued(asFuture.filter(include: include) as Future<Output, Failure>)
  }

  /// The value and what `stamper` makes of it.
  @discardableResult
  public final func stamp<T>(_ stamper: @escaping (Output) -> T) -> Progression<
    Unit, (value: Output, stamp: T), Failure
  > {
    continued(asFuture.stamp(stamper))
  }

  /// The value and the moment at which it came.
  @discardableResult
  public final func timeStamp() -> Progression<Unit, (value: Output, stamp: LoopClock.Instant), Failure> {
    continued(asFuture.timeStamp())
  }

  /// The same result, `duration` later, to the millisecond above, where that is a value.
  @discardableResult
  public final func delay(_ duration: Duration) -> Progression {
    continued(asFuture.delay(duration))
  }

  /// The same value, or `value` where there is none.
  @discardableResult
  public final func defaultValue(_ value: Output) -> Progression {
    continued(asFuture.defaultValue(value))
  }

  /// Passes the value on if `handler` returns true; otherwise ends with `termination`.
  @discardableResult
  public final func doWhile(
    then termination: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Progression {
    continued(asFuture.doWhile(then: termination, handler: handler))
  }

  /// Passes the value on if `handler` returns false; otherwise ends with `termination`.
  @discardableResult
  public final func until(
    then termination: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Progression {
    continued(asFuture.until(then: termination, handler: handler))
  }

  /// Passes the value on, or ends as `handler` says.
  @discardableResult
  public final func until(_ handler: @escaping (Output) -> Termination<Failure>?) -> Progression {
    continued(asFuture.until(handler))
  }

  /// Passes the value on as long as `object` lives.
  @discardableResult
  public final func lifeOf(_ object: some AnyObject, then termination: Termination<Failure> = .cancelled)
    -> Progression
  {
    continued(asFuture.lifeOf(object, then: termination))
  }

  /// The first value of either side.
  @discardableResult
  public final func merge(_ other: some AnyStream<Output, Failure>) -> Progression {
    continued(asFuture.merge(other))
  }

  /// A pair, of the first value of each side.
  @discardableResult
  public final func combine<T>(_ other: some AnyStream<T, Failure>) -> Progression<Unit, (Output, T), Failure>
  {
    continued(asFuture.combine(other))
  }
}
