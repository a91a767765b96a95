public import UV

extension StreamFuture {
  /// A future of the result that `transform` passes to its second argument. `transform` calls that argument
  /// once, at once or later, on any thread: with a value, with an error, or with nil to end with neither. The
  /// loop keeps running until the argument is called or released. If it is never called, the future never
  /// ends.
  @discardableResult
  public func asyncMap<T>(
    _ transform: @escaping (Output, @escaping @Sendable (Result<T, Failure>?) -> Void) -> Void
  ) -> Future<T, Failure> {
    asFuture.derive { settlement, child in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      transform(
        value,
        StreamSteps.answer(through: child.gate) { result in
          switch result {
          case .success(let new)?: child.settle(.value(new))
          case .failure(let error)?: child.settle(.failure(error))
          case nil: child.settle(.completed)
          }
        })
    }
  }

  /// A future of the value if `include` returns true; otherwise the future ends without a value.
  @discardableResult
  public func filter(include: @escaping (Output) -> Bool) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      if case .value(let value) = settlement, !include(value) { return child.settle(.completed) }
      child.settle(settlement)
    }
  }

  /// A future of the value and the result of `stamper` for it.
  @discardableResult
  public func stamp<T>(
    _ stamper: @escaping (Output) -> T
  ) -> Future<(value: Output, stamp: T), Failure> {
    asFuture.derive { settlement, child in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      child.settle(.value((value, stamper(value))))
    }
  }

  /// A future of the value and the moment at which it came.
  @discardableResult
  public func timeStamp() -> Future<(value: Output, stamp: LoopClock.Instant), Failure> {
    let clock = EventLoop.needed(for: "timeStamp()").clock
    return stamp { _ in clock.now }
  }

  /// A future of the same result, `duration` later, to the millisecond above, where that is a value. It is on
  /// the current loop; outside one this stops the program with a message.
  @discardableResult
  public func delay(_ duration: Duration) -> Future<Output, Failure> {
    let loop = EventLoop.needed(for: "delay(_:)")
    return asyncMap { value, completion in
      loop.sleep(for: duration) { result in
        // A loop that is being shut down ends the wait early.
        if case .success = result { completion(.success(value)) } else { completion(nil) }
      }
    }
  }

  /// A future of the same value, or of `value` if this future fails or ends without a value.
  ///
  /// A cancelled future stays cancelled.
  @discardableResult
  public func defaultValue(_ value: Output) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      switch settlement {
      case .completed, .failure: child.settle(.value(value))
      case .value, .cancelled: child.settle(settlement)
      }
    }
  }

  /// Passes the value on if `handler` returns true; otherwise ends with `termination`.
  @discardableResult
  public func doWhile(
    then termination: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Future<Output, Failure> {
    until { handler($0) ? nil : termination }
  }

  /// Passes the value on if `handler` returns false; otherwise ends with `termination`.
  @discardableResult
  public func until(
    then termination: Termination<Failure> = .cancelled, handler: @escaping (Output) -> Bool
  ) -> Future<Output, Failure> {
    until { handler($0) ? termination : nil }
  }

  /// Passes the value on, or ends with the termination that `handler` returns.
  @discardableResult
  public func until(_ handler: @escaping (Output) -> Termination<Failure>?) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      if case .value(let value) = settlement, let termination = handler(value) {
        child.settle(Settlement(termination))
      } else {
        child.settle(settlement)
      }
    }
  }

  /// Passes the value on together with `object` while `object` exists; otherwise ends with `termination`.
  @discardableResult
  public func using<T: AnyObject>(
    _ object: T, then termination: Termination<Failure> = .cancelled
  ) -> Future<(T, Output), Failure> {
    asFuture.derive { [weak object] settlement, child in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      child.settle(object.map { .value(($0, value)) } ?? Settlement(termination))
    }
    .canReplay(false)
  }

  /// Passes the value on while `object` exists; otherwise ends with `termination`.
  @discardableResult
  public func lifeOf(
    _ object: some AnyObject, then termination: Termination<Failure> = .cancelled
  ) -> Future<Output, Failure> {
    until { [weak object] _ in object == nil ? termination : nil }
  }
}
