public import UV

extension HotStream {
  /// Each value and the result of `stamper` for it.
  @discardableResult
  public func stamp<T>(_ stamper: @escaping (Output) -> T) -> Hot<(value: Output, stamp: T), Failure> {
    derive(StreamSteps.map { ($0, stamper($0)) })
  }

  /// Each value and the moment at which it came.
  @discardableResult
  public func timeStamp() -> Hot<(value: Output, stamp: LoopClock.Instant), Failure> {
    derive(StreamSteps.map { ($0, .now) })
  }

  /// The first value, and each value that differs from the one before it according to `isDistinct`.
  @discardableResult
  public func distinct(
    _ isDistinct: @escaping (_ prior: Output, _ next: Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.improving(keepsBest: false) { isDistinct($1, $0) })
  }

  /// The first value, and each that is less than all before it.
  @discardableResult
  public func min(lessThan: @escaping (_ isValue: Output, _ lessThan: Output) -> Bool) -> Hot<Output, Failure>
  {
    derive(StreamSteps.improving(keepsBest: true, lessThan))
  }

  /// The first value, and each that is greater than all before it.
  @discardableResult
  public func max(
    greaterThan: @escaping (_ isValue: Output, _ greaterThan: Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.improving(keepsBest: true, greaterThan))
  }

  /// With each value how many there have been.
  @discardableResult
  public func count() -> Hot<UInt, Failure> {
    derive(StreamSteps.scan(0) { count, _ in count + 1 })
  }

  /// Each value and its number, from 1.
  @discardableResult
  public func countStamp() -> Hot<(value: Output, stamp: UInt), Failure> {
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
  public func delay(_ duration: Duration) -> Hot<Output, Failure> {
    derive(StreamSteps.delay(duration))
  }

  /// The values after the first `count`.
  @discardableResult
  public func skip(_ count: Int) -> Hot<Output, Failure> {
    derive(StreamSteps.skip(count))
  }

  /// `values` before the first value, if one comes.
  @discardableResult
  public func start(with values: [Output]) -> Hot<Output, Failure> {
    derive(StreamSteps.start(with: values))
  }

  /// `values` after the last value, before the end.
  @discardableResult
  public func concat(_ values: [Output]) -> Hot<Output, Failure> {
    derive(StreamSteps.concat(values))
  }

  /// `value` before the end, if none has come.
  @discardableResult
  public func defaultValue(_ value: Output) -> Hot<Output, Failure> {
    derive(StreamSteps.defaultValue(value))
  }

  /// Values for as long as `handler` says so, and then the end.
  @discardableResult
  public func doWhile(
    then reason: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until { handler($1) ? nil : reason })
  }

  /// Values for as long as `handler`, which gets the one before, too, says so, and then the end.
  @discardableResult
  public func doWhile(
    then reason: Termination<Failure> = .cancelled,
    handler: @escaping (_ prior: Output?, _ next: Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until { handler($0, $1) ? nil : reason })
  }

  /// Values until `handler` says so, and then the end.
  @discardableResult
  public func until(
    then reason: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until { handler($1) ? reason : nil })
  }

  /// Values until `handler`, which gets the one before, too, says so, and then the end.
  @discardableResult
  public func until(
    then reason: Termination<Failure> = .cancelled,
    handler: @escaping (_ prior: Output?, _ next: Output) -> Bool
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until { handler($0, $1) ? reason : nil })
  }

  /// Values until `handler` returns a termination, with which the stream ends.
  @discardableResult
  public func until(_ handler: @escaping (Output) -> Termination<Failure>?) -> Hot<Output, Failure> {
    derive(StreamSteps.until { handler($1) })
  }

  /// Values until `handler`, which gets the one before, too, returns a termination, with which the stream ends.
  @discardableResult
  public func until(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Termination<Failure>?
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until(handler))
  }

  /// Values with `object`, which is not kept, for as long as that lives; then the end. They are not replayed,
  /// nor is what operators make of them.
  @discardableResult
  public func using<Object: AnyObject>(
    _ object: Object, then reason: Termination<Failure> = .cancelled
  ) -> Hot<(Object, Output), Failure> {
    derive(
      StreamSteps.values { [weak object] value, emit in
        if let object { emit(.next((object, value))) } else { emit(.terminate(reason: reason)) }
      }
    )
    .canReplay(false)
  }

  /// Values for as long as `object`, which is not kept, lives; then the end.
  @discardableResult
  public func lifeOf(
    _ object: some AnyObject, then reason: Termination<Failure> = .cancelled
  ) -> Hot<Output, Failure> {
    derive(StreamSteps.until { [weak object] _, _ in object == nil ? reason : nil })
  }
}

extension HotStream where Output: Sequence {
  /// A stream of the elements of each value.
  @discardableResult
  public func flatten() -> Hot<Output.Element, Failure> { flatMap { $0 } }
}

extension HotStream where Output: Equatable {
  /// The first value, and those that differ from the one before.
  @discardableResult
  public func distinct() -> Hot<Output, Failure> { asHot.distinct { $0 != $1 } }
}

extension HotStream where Output: Comparable {
  /// The first value, and each that is less than all before it.
  @discardableResult
  public func min() -> Hot<Output, Failure> { min { $0 < $1 } }

  /// The first value, and each that is greater than all before it.
  @discardableResult
  public func max() -> Hot<Output, Failure> { max { $0 > $1 } }
}

extension HotStream where Output: AdditiveArithmetic {
  /// With each value the sum of all so far.
  @discardableResult
  public func sum() -> Hot<Output, Failure> { scan(initial: .zero) { $0 + $1 } }
}

extension HotStream where Output: FloatingPoint {
  /// With each value the mean of all so far.
  @discardableResult
  public func average() -> Hot<Output, Failure> {
    scan(initial: (sum: Output.zero, count: Output.zero)) { ($0.sum + $1, $0.count + 1) }.map {
      $0.sum / $0.count
    }
  }
}

extension HotStream where Output: BinaryInteger {
  /// With each value the mean of all so far, rounded towards zero.
  @discardableResult
  public func average() -> Hot<Output, Failure> {
    scan(initial: (sum: Output.zero, count: Output.zero)) { ($0.sum + $1, $0.count + 1) }.map {
      $0.sum / $0.count
    }
  }
}
