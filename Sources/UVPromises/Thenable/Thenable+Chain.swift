extension Thenable {
  /// Calls `body` with the value, and ends as the promise that it returns.
  ///
  /// An error goes past `body` to the next `catch` or `recover`, here and in every method of a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - body: What comes next. If it throws, the result is rejected with the error; if it returns the result itself,
  ///     with ``PMKError/returnedSelf``.
  /// - Returns: A promise of the same outcome as that which `body` returns. A recursion of such promises needs memory
  ///   for those only that are held on to.
  ///
  /// PromiseKit's `then`.
  @inlinable
  public func then<U: Thenable>(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> U
  ) -> Promise<U.T> {
    Promise(
      node: node.step(dispatcher, file, line, body) {
        Step<T, U, U.T>.onValue($0, $1) { step, _, next in step.adopt(next.node) }
      })
  }

  /// Calls `transform` with the value; the result is a promise of what it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `transform`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - transform: Makes the new value. If it throws, the result is rejected with the error.
  ///
  /// PromiseKit's `map`.
  @inlinable
  public func map<U>(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T) throws -> U
  ) -> Promise<U> {
    Promise(
      node: node.step(dispatcher, file, line, transform) {
        Step<T, U, U>.onValue($0, $1) { step, _, value in step.fulfill(value) }
      })
  }

  /// A promise of the value's property.
  ///
  /// PromiseKit's `map`.
  @inlinable
  public func map<U>(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ keyPath: KeyPath<T, U>
  ) -> Promise<U> {
    map(on: dispatcher, file: file, line: line) { $0[keyPath: keyPath] }
  }

  /// Calls `transform` with the value; the result is a promise of what it returns, rejected with
  /// ``PMKError/compactMap(_:_:)`` if that is nil.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `transform`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - transform: Makes the new value. If it throws, the result is rejected with the error.
  ///
  /// PromiseKit's `compactMap`.
  @inlinable
  public func compactMap<U>(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T) throws -> U?
  ) -> Promise<U> {
    Promise(
      node: node.step(dispatcher, file, line, transform) {
        Step<T, U?, U>.onValue($0, $1) { step, source, value in
          guard let value else { throw PMKError.compactMap("\(source.value!)", U.self) }
          step.fulfill(value)
        }
      })
  }

  /// A promise of the value's property, rejected with ``PMKError/compactMap(_:_:)`` if that is nil.
  ///
  /// PromiseKit's `compactMap`.
  @inlinable
  public func compactMap<U>(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ keyPath: KeyPath<T, U?>
  ) -> Promise<U> {
    compactMap(on: dispatcher, file: file, line: line) { $0[keyPath: keyPath] }
  }

  /// Calls `body` with the value: the end of the success part of a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - body: What to do with the value. If it throws, the result is rejected with the error.
  /// - Returns: A promise that is fulfilled when `body` has returned.
  ///
  /// PromiseKit's `done`.
  @inlinable
  public func done(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> Void
  ) -> Promise<Void> {
    Promise(
      node: node.step(dispatcher, file, line, body) {
        Step<T, Void, Void>.onValue($0, $1) { step, _, _ in step.fulfill(()) }
      })
  }

  /// Calls `body` with the value and passes the value on.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - body: What to do with the value. If it throws, the result is rejected with the error.
  ///
  /// PromiseKit's `get`.
  @inlinable
  public func get(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> Void
  ) -> Promise<T> {
    Promise(
      node: node.step(dispatcher, file, line, body) {
        Step<T, Void, T>.onValue($0, $1) { step, source, _ in step.fulfill(source.value!) }
      })
  }

  /// Calls `body` with the outcome, be it a value or an error, and passes the outcome on; for looking into a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds; as `line`.
  ///   - body: What to do with the outcome.
  ///
  /// PromiseKit's `tap`.
  @inlinable
  public func tap(
    on dispatcher: LoopDispatcher? = .microtask, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (PMKResult<T>) -> Void
  ) -> Promise<T> {
    Promise(
      node: node.step(dispatcher, file, line, body) {
        let step = unsafeDowncast($0, to: Step<PMKResult<T>, Void, T>.self)
        try? step.takeBody()(AnyNode.outcome(of: $1))
        step.pass($1)
      })
  }

  /// The same promise without its value.
  ///
  /// PromiseKit's `asVoid`.
  @inlinable
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    map(on: .inline, file: file, line: line) { _ in }
  }
}
