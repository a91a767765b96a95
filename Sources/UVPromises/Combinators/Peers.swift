// Operators that promises of other libraries have besides, by their names there.

/// Waits for all promises; ``when(fulfilled:cancellingRest:file:line:)-([U],_,_,_)->Promise<[U.T]>`` by
/// another name.
///
/// google/promises' `all`, JavaScript's `Promise.all`.
@inlinable
public func all<U: Thenable>(
  _ thenables: [U], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[U.T]> {
  when(fulfilled: thenables, file: file, line: line)
}

/// Waits for all promises, whatever their outcomes;
/// ``when(resolved:file:line:)-([U],_,_)`` by another name.
///
/// JavaScript's `Promise.allSettled`.
@inlinable
public func allSettled<U: Thenable>(
  _ thenables: [U], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[PMKResult<U.T>]> {
  when(resolved: thenables, file: file, line: line)
}

/// The value of the promise that is fulfilled first.
///
/// - Returns: A promise that, if all fail, is rejected with ``PMKError/aggregate(_:)``: all errors, in the
///   order of the promises. With none it is rejected with an empty list.
///
/// JavaScript's `Promise.any`.
@inlinable
public func any<U: Thenable>(
  _ thenables: [U], cancellingRest cancelsRest: Bool = false,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
  let gatherer = Gatherer(.firstFulfilled, of: thenables.count, cancelsRest: cancelsRest)
  for thenable in thenables { gatherer.add(thenable.node) }
  return Promise(
    node: GatherNode(gatherer, file, line) { node, _ in
      GatherNode.finish(node) { node, winner in
        if let winner { return winner.value(as: U.T.self) }
        throw PMKError.aggregate((0..<node.gatherer.count).map { node.gatherer[$0].settled!.failure })
      }
    })
}

/// Two promises' values together.
///
/// khanlou/Promise's `zip`.
@inlinable
public func zip<U: Thenable, V: Thenable>(
  _ first: U, _ second: V, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(U.T, V.T)> {
  when(fulfilled: first, second, file: file, line: line)
}

extension Thenable {
  /// This promise's value and another's together.
  ///
  /// SwiftNIO's `and`, BrightFutures' `zip`.
  @inlinable
  public func zip<V: Thenable>(
    _ other: V, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(T, V.T)> {
    when(fulfilled: self, other, file: file, line: line)
  }

  /// Rejects the promise with ``PMKError/validationFailure`` unless `predicate` returns true for its value.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `predicate`; as a microtask of the loop unless said otherwise.
  ///   - predicate: Whether the value will do. If it throws, the result is rejected with the error.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///
  /// google/promises' `validate`.
  @inlinable
  public func validate(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping (T) throws -> Bool
  ) -> Promise<T> {
    get(on: dispatcher, file: file, line: line) { value in
      guard try predicate(value) else { throw PMKError.validationFailure }
    }
  }

  /// Combines this promise's value with `items`, one after the other: `combine` makes a promise of the next
  /// partial result.
  ///
  /// - Parameters:
  ///   - items: What to combine with.
  ///   - combine: Makes the next result of the last one and an item. If it throws, the result is rejected.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///
  /// google/promises' `reduce`.
  @inlinable
  public func reduce<S: Sequence, U: Chainable>(
    _ items: S, file: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping (T, S.Element) throws -> U
  ) -> Promise<T> where U.T == T {
    var iterator = items.makeIterator()
    func next(_ partial: T) throws -> Promise<T> {
      guard let item = iterator.next() else { return .value(partial) }
      return Promise(try combine(partial, item)).then(on: .microtask, file: file, line: line) { try next($0) }
    }
    return then(on: .microtask, file: file, line: line) { try next($0) }
  }

  /// Waits for `others` as well, and combines this promise's value with theirs, in their order.
  ///
  /// - Parameters:
  ///   - others: What else to wait for.
  ///   - combine: Makes the next result of the last one and a value. If it throws, the result is rejected.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///
  /// SwiftNIO's `fold`.
  @inlinable
  public func fold<U: Thenable>(
    _ others: [U], file: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping (T, U.T) throws -> T
  ) -> Promise<T> {
    let gathered: Promise<[U.T]> = when(fulfilled: others, file: file, line: line)
    let both = when(fulfilled: self, gathered, file: file, line: line)
    return both.map(on: .microtask, file: file, line: line) { try $1.reduce($0, combine) }
  }

  /// Calls `body` in any case and passes the outcome on; `ensure` by another name.
  ///
  /// google/promises' and SwiftNIO's `always`.
  @inlinable
  public func always(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Void
  ) -> Promise<T> {
    Promise(self).ensure(on: dispatcher, file: file, line: line, body)
  }
}

extension CatchMixin {
  /// Calls `transform` with the error; the result is rejected with what it returns.
  ///
  /// khanlou/Promise's and BrightFutures' `mapError`.
  @inlinable
  public func mapError(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (any Error) -> any Error
  ) -> Promise<T> {
    recover(on: dispatcher, policy: .allErrors, file: file, line: line) { error throws -> Promise<T> in
      throw transform(error)
    }
  }
}

extension Promise {
  /// A promise that waits to be resolved, and what resolves it; ``pending(file:line:)`` by another name.
  ///
  /// JavaScript's `Promise.withResolvers`.
  @inlinable
  public static func withResolvers(
    file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise<T>, resolve: (T) -> Void, reject: (any Error) -> Void) {
    let (promise, resolver) = pending(file: file, line: line)
    return (promise, resolver.fulfill, resolver.reject)
  }
}

extension Promise where T: Sendable {
  /// A promise that waits to be resolved, and what resolves it on whatever thread; ``pending(file:line:)`` by
  /// another name.
  ///
  /// JavaScript's `Promise.withResolvers`.
  @inlinable
  public static func withResolvers(
    file: StaticString = #fileID, line: UInt = #line
  ) -> (
    promise: Promise<T>, resolve: @Sendable (T) -> Void, reject: @Sendable (any Error) -> Void
  ) {
    let (promise, resolver) = pending(file: file, line: line)
    return (promise, { resolver.fulfill($0) }, { resolver.reject($0) })
  }
}
