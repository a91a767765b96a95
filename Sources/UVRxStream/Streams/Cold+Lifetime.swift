public import UV

/// Operators on the answers; those of ``Hot``.
extension Cold {
  /// Each value and the result of `stamper` for it.
  @discardableResult
  public final func stamp<T>(
    _ stamper: @escaping (Output) -> T
  ) -> Cold<Request, (value: Output, stamp: T), Failure> {
    derive(StreamSteps.map { ($0, stamper($0)) })
  }

  /// Each value and the moment at which it came.
  @discardableResult
  public final func timeStamp() -> Cold<Request, (value: Output, stamp: LoopClock.Instant), Failure> {
    derive(StreamSteps.map { ($0, .now) })
  }

  /// The first value, and each value that differs from the one before it according to `isDistinct`.
  @discardableResult
  public final func distinct(_ isDistinct: @escaping (_ prior: Output, _ next: Output) -> Bool) -> Cold {
    derive(StreamSteps.improving(keepsBest: false) { isDistinct($1, $0) })
  }

  /// The first value, and each that is less than all before it.
  @discardableResult
  public final func min(lessThan: @escaping (_ isValue: Output, _ lessThan: Output) -> Bool) -> Cold {
    derive(StreamSteps.improving(keepsBest: true, lessThan))
  }

  /// The first value, and each that is greater than all before it.
  @discardableResult
  public final func max(greaterThan: @escaping (_ isValue: Output, _ greaterThan: Output) -> Bool) -> Cold {
    derive(StreamSteps.improving(keepsBest: true, greaterThan))
  }

  /// With each value how many there have been.
  @discardableResult
  public final func count() -> Cold<Request, UInt, Failure> {
    derive(StreamSteps.scan(0) { count, _ in count + 1 })
  }

  /// Each value and its number, from 1.
  @discardableResult
  public final func countStamp() -> Cold<Request, (value: Output, stamp: UInt), Failure> {
    var count: UInt = 0
    return derive(
      StreamSteps.map {
        count += 1
        return ($0, count)
      })
  }

  /// Everything, the end too, `duration` later, to the millisecond above. It is on the current loop; outside
  /// one this stops the program with a message.
  @discardableResult
  public final func delay(_ duration: Duration) -> Cold {
    derive(StreamSteps.delay(duration))
  }

  /// The values after the first `count`.
  @discardableResult
  public final func skip(_ count: Int) -> Cold {
    derive(StreamSteps.skip(count))
  }

  /// `values` before the first value, if one comes.
  @discardableResult
  public final func start(with values: [Output]) -> Cold {
    derive(StreamSteps.start(with: values))
  }

  /// `values` after the last value, before the end.
  @discardableResult
  public final func concat(_ values: [Output]) -> Cold {
    derive(StreamSteps.concat(values))
  }

  /// `value` before the end, if none has come.
  @discardableResult
  public final func defaultValue(_ value: Output) -> Cold {
    derive(StreamSteps.defaultValue(value))
  }

  /// Values for as long as `handler` says so, and then the end.
  @discardableResult
  public final func doWhile(
    then reason: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Cold {
    derive(StreamSteps.until { handler($1) ? nil : reason })
  }

  /// Values for as long as `handler`, which gets the one before, too, says so, and then the end.
  @discardableResult
  public final func doWhile(
    then reason: Termination<Failure> = .cancelled,
    handler: @escaping (_ prior: Output?, _ next: Output) -> Bool
  ) -> Cold {
    derive(StreamSteps.until { handler($0, $1) ? nil : reason })
  }

  /// Values until `handler` says so, and then the end.
  @discardableResult
  public final func until(
    then reason: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Cold {
    derive(StreamSteps.until { handler($1) ? reason : nil })
  }

  /// Values until `handler`, which gets the one before, too, says so, and then the end.
  @discardableResult
  public final func until(
    then reason: Termination<Failure> = .cancelled,
    handler: @escaping (_ prior: Output?, _ next: Output) -> Bool
  ) -> Cold {
    derive(StreamSteps.until { handler($0, $1) ? reason : nil })
  }

  /// Values until `handler` returns a termination, with which the stream ends.
  @discardableResult
  public final func until(_ handler: @escaping (Output) -> Termination<Failure>?) -> Cold {
    derive(StreamSteps.until { handler($1) })
  }

  /// Values until `handler`, which gets the one before, too, returns a termination, with which the stream ends.
  @discardableResult
  public final func until(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Termination<Failure>?
  ) -> Cold {
    derive(StreamSteps.until(handler))
  }

  /// Values with `object`, which is not kept, for as long as that lives; then the end. They are not replayed.
  @discardableResult
  public final func using<Object: AnyObject>(
    _ object: Object, then reason: Termination<Failure> = .cancelled
  ) -> Cold<Request, (Object, Output), Failure> {
    derive(
      StreamSteps.values { [weak object] value, emit in
        if let object { emit(.next((object, value))) } else { emit(.terminate(reason: reason)) }
      })
  }

  /// Values for as long as `object`, which is not kept, lives; then the end.
  @discardableResult
  public final func lifeOf(_ object: some AnyObject, then reason: Termination<Failure> = .cancelled) -> Cold {
    derive(StreamSteps.until { [weak object] _, _ in object == nil ? reason : nil })
  }
}

extension Cold where Output: Sequence {
  /// A stream of the elements of each answer.
  @discardableResult
  public final func flatten() -> Cold<Request, Output.Element, Failure> { flatMap { $0 } }
}

extension Cold where Output: Equatable {
  /// The first value, and those that differ from the one before.
  @discardableResult
  public final func distinct() -> Cold { distinct { $0 != $1 } }
}

extension Cold where Output: Comparable {
  /// The first value, and each that is less than all before it.
  @discardableResult
  public final func min() -> Cold { min { $0 < $1 } }

  /// The first value, and each that is greater than all before it.
  @discardableResult
  public final func max() -> Cold { max { $0 > $1 } }
}

extension Cold where Output: AdditiveArithmetic {
  /// With each value the sum of all so far.
  @discardableResult
  public final func sum() -> Cold { scan(initial: .zero) { $0 + $1 } }
}

extension Cold where Output: FloatingPoint {
  /// With each value the mean of all so far.
  @discardableResult
  public final func average() -> Cold {
    scan(initial: (sum: Output.zero, count: Output.zero)) { ($0.sum + $1, $0.count + 1) }.map {
      $0.sum / $0.count
    }
  }
}

extension Cold where Output: BinaryInteger {
  /// With each value the mean of all so far, rounded towards zero.
  @discardableResult
  public final func average() -> Cold {
    scan(initial: (sum: Output.zero, count: Output.zero)) { ($0.sum + $1, $0.count + 1) }.map {
      $0.sum / $0.count
    }
  }
}
