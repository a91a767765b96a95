/// A stream of any kind: a ``Future``, a ``Hot``, or one of their subclasses. Two of them can be joined.
///
/// RxStream's `Stream`.
public protocol AnyStream<Output, Failure>: AnyObject {
  /// The type of the stream's values.
  associatedtype Output
  /// How it may fail.
  associatedtype Failure: Error

  /// The same values, as a stream of many.
  var asHot: Hot<Output, Failure> { get }
}

/// A future as RxStream's operators see it: a stream of one value.
///
/// ``Future`` and its subclasses conform. A subclass whose operators return the subclass, such as
/// ``StreamPromise``, declares these operators itself.
///
/// RxStream's `Future`.
public protocol StreamFuture<Output, Failure>: AnyStream {
  /// The same object by the type that all kinds share.
  var asFuture: Future<Output, Failure> { get }
}

extension StreamFuture {
  /// A stream of the value, which then ends.
  public var asHot: Hot<Output, Failure> { asFuture.flatMap { CollectionOfOne($0) } }

  /// Calls `handler` with the value.
  ///
  /// - Returns: A future of the same result. A caller doesn't need to keep it.
  ///
  /// Where this future has its value already, the handler hears it in the loop's next microtask.
  @discardableResult
  public func on(_ handler: @escaping (Output) -> Void) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      if case .value(let value) = settlement { handler(value) }
      child.settle(settlement)
    }
  }

  /// Calls `handler` with the value; the same as ``on(_:)``.
  @discardableResult
  public func then(_ handler: @escaping (Output) -> Void) -> Future<Output, Failure> { on(handler) }

  /// Calls `handler` with the error if the future fails, by itself or in an earlier operation of the chain.
  @discardableResult
  public func onError(_ handler: @escaping (Failure) -> Void) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      if case .failure(let error) = settlement { Propagation.atEnd { handler(error) } }
      child.settle(settlement)
    }
  }

  /// Calls `handler` with how the future ends, after everything further down the chain has received the end.
  @discardableResult
  public func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Future<Output, Failure> {
    asFuture.derive { settlement, child in
      Propagation.atEnd { handler(settlement.termination) }
      child.settle(settlement)
    }
  }

  /// A future of the transformed value. If `transform` returns nil, the future ends without a value.
  @discardableResult
  public func map<T>(_ transform: @escaping (Output) -> T?) -> Future<T, Failure> {
    noteRequests(T.self)
    return asFuture.derive { settlement, child in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      child.settle(transform(value).map { .value($0) } ?? .completed)
    }
  }

  /// A future of the result of `transform`: another value, or an error.
  @discardableResult
  public func resultMap<T>(
    _ transform: @escaping (Output) -> Result<T, Failure>
  ) -> Future<T, Failure> {
    asFuture.derive { settlement, child in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      switch transform(value) {
      case .success(let new): child.settle(.value(new))
      case .failure(let error): child.settle(.failure(error))
      }
    }
  }
}
