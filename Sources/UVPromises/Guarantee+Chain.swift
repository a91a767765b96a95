extension Guarantee {
  /// Calls `body` with the value.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do with the value.
  /// - Returns: A guarantee that is resolved when `body` has returned.
  @inlinable
  @discardableResult
  public func done(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) -> Void
  ) -> Guarantee<Void> {
    Guarantee<Void>(
      node: .step(dispatcher.flags.union(.isGuarantee), DoStep(body)) {
        DoStep<T>.run($0, $1) { step, _ in step.fulfill(()) }
      }.following(node, file, line))
  }

  /// Calls `body` with the value and passes the value on.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do with the value.
  @inlinable
  public func get(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) -> Void
  ) -> Guarantee<T> {
    Guarantee(
      node: .step(dispatcher.flags.union(.isGuarantee), DoStep(body)) {
        DoStep<T>.run($0, $1) { step, source in step.fulfill(source.value(as: T.self)) }
      }.following(node, file, line))
  }

  /// Calls `transform` with the value; the result is a guarantee of what it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `transform`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - transform: Makes the new value.
  @inlinable
  public func map<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (T) -> U
  ) -> Guarantee<U> {
    #if DEBUG
    noticeRequests(U.self, file, line)
    #endif
    return Guarantee<U>(
      node: .step(dispatcher.flags.union(.isGuarantee), MapStep(transform)) {
        MapStep<T, U>.run($0, $1) { step, _, value in step.fulfill(value) }
      }.following(node, file, line))
  }

  /// Calls `body` with the value, and ends as the guarantee that it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What comes next.
  /// - Returns: A guarantee of the same value as that which `body` returns.
  @inlinable
  @discardableResult
  public func then<U>(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (T) -> Guarantee<U>
  ) -> Guarantee<U> {
    Guarantee<U>(
      node: .step(dispatcher.flags.union(.isGuarantee), MapStep(body)) {
        MapStep<T, Guarantee<U>>.run($0, $1) { step, _, next in step.adopt(next.node, U.self) }
      }.following(node, file, line))
  }

  /// The same guarantee without its value.
  @inlinable
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Guarantee<Void> {
    map(on: .inline, file: file, line: line) { _ in }
  }
}
