/// Begins a chain: `firstly { login() }.then { … }` is `login().then { … }`.
///
/// - Parameters:
///   - body: Called once, before this returns. If it throws, the promise is rejected with the error.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
@inlinable
public func firstly<U: Chainable>(
  file: StaticString = #fileID, line: UInt = #line, execute body: () throws -> U
) -> Promise<U.T> {
  do { return Promise(try body()) } catch { return Promise(file: file, line: line, error: error) }
}

/// Begins a chain with a guarantee.
///
/// - Parameter body: Called once, before this returns.
@inlinable
public func firstly<T>(execute body: () -> Guarantee<T>) -> Guarantee<T> { body() }

extension Thenable {
  /// Calls `body` with the value, and ends as the promise that it returns, or as the request, which this starts.
  ///
  /// An error goes past `body` to the next `catch` or `recover`, here and in every method of a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What comes next. If it throws, the result is rejected with the error; if it returns the result
  ///     itself, with ``PMKError/returnedSelf``.
  /// - Returns: A promise of the same outcome as that which `body` returns. A recursion of such promises
  ///   needs memory for those only that are held on to.
  @_disfavoredOverload
  @inlinable
  public func then<U: Chainable>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> U
  ) -> Promise<U.T> {
    Promise(
      node: .step(dispatcher.flags, MapStep(body)) {
        MapStep<T, U>.run($0, $1) { step, _, next in step.adopt(next.node, U.T.self) }
      }.following(node, file, line))
  }

  /// Calls `transform` with the value; the result is a promise of what it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `transform`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - transform: Makes the new value. If it throws, the result is rejected with the error.
  @_disfavoredOverload
  @inlinable
  public func map<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T) throws -> U
  ) -> Promise<U> {
    #if DEBUG
    noticeRequests(U.self, file, line)
    #endif
    return Promise(
      node: .step(dispatcher.flags, MapStep(transform)) {
        MapStep<T, U>.run($0, $1) { step, _, value in step.fulfill(value) }
      }.following(node, file, line))
  }

  /// Calls `transform` with the value; the result is a promise of what it returns, rejected with
  /// ``PMKError/compactMap(_:_:)-enum.case`` if that is nil.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `transform`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - transform: Makes the new value. If it throws, the result is rejected with the error.
  @inlinable
  public func compactMap<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T) throws -> U?
  ) -> Promise<U> {
    #if DEBUG
    noticeRequests(U.self, file, line)
    #endif
    return Promise(
      node: .step(dispatcher.flags, MapStep(transform)) {
        MapStep<T, U?>.run($0, $1) { step, source, value in
          guard let value else { throw PMKError.compactMap("\(source.value(as: T.self))", U.self) }
          step.fulfill(value)
        }
      }.following(node, file, line))
  }

  /// Calls `body` with the value: the end of the success part of a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do with the value. If it throws, the result is rejected with the error.
  /// - Returns: A promise that is fulfilled when `body` has returned.
  @_disfavoredOverload
  @inlinable
  public func done(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> Void
  ) -> Promise<Void> {
    Promise(
      node: .step(dispatcher.flags, DoStep(body)) {
        DoStep<T>.run($0, $1) { step, _ in step.fulfill(()) }
      }.following(node, file, line))
  }

  /// Calls `body` with the value and passes the value on.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do with the value. If it throws, the result is rejected with the error.
  @_disfavoredOverload
  @inlinable
  public func get(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) throws -> Void
  ) -> Promise<T> {
    Promise(
      node: .step(dispatcher.flags, DoStep(body)) {
        DoStep<T>.run($0, $1) { step, source in step.fulfill(source.value(as: T.self)) }
      }.following(node, file, line))
  }

  /// Calls `body` with the outcome, be it a value or an error, and passes the outcome on; for looking into a
  /// chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do with the outcome.
  @inlinable
  public func tap(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (PMKResult<T>) -> Void
  ) -> Promise<T> {
    Promise(
      node: .step(dispatcher.flags, TapStep(body)) {
        TapStep<T>.run($0, $1)
        $0.pass($1, T.self)
      }.following(node, file, line))
  }

  /// The same promise without its value.
  @inlinable
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    map(on: .inline, file: file, line: line) { _ in }
  }
}
