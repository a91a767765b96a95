/// A thenable that may fail, and so has `catch` and its kin.
///
/// PromiseKit's `CatchMixin`.
public protocol CatchMixin<T>: Thenable {}

extension CatchMixin {
  /// Calls `body` with the error of this promise or of any before it in the chain: the end of a chain.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - policy: Whether cancellations are errors here; ``Configuration/catchPolicy`` unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do about the error.
  /// - Returns: A way to do something afterwards in any case.
  @inlinable
  @discardableResult
  public func `catch`(
    on dispatcher: LoopDispatcher? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping (any Error) -> Void
  ) -> PMKFinalizer {
    PMKFinalizer(
      node: .step(
        dispatcher.flags.union(policy.flags).union(.isGuarantee).union(.isForErrors), CatchStep(body)
      ) {
        CatchStep.run($0, $1, passesUncovered: false)
      }.following(node, file, line))
  }

  /// Calls `body` with the error, and ends as the promise that it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - policy: Whether cancellations are errors here; ``Configuration/catchPolicy`` unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: Makes a promise, or a request, of a value after all. If it throws, the result is rejected with the error.
  @inlinable
  public func recover<U: Chainable>(
    on dispatcher: LoopDispatcher? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping (any Error) throws -> U
  ) -> Promise<T> where U.T == T {
    Promise(
      node: .step(dispatcher.flags.union(policy.flags).union(.recovers), RecoverStep(body)) {
        RecoverStep<U>.run($0, $1, T.self) { step, next in step.adopt(next.node, T.self) }
      }.following(node, file, line))
  }

  /// Calls `body` with the error, cancellations included, and ends as the guarantee that it returns.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: Makes a guarantee of a value after all.
  @inlinable
  @discardableResult
  public func recover(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (any Error) -> Guarantee<T>
  ) -> Guarantee<T> {
    Guarantee(
      node: .step(dispatcher.flags.union([.isGuarantee, .coversCancellation, .recovers]), RecoverStep(body)) {
        RecoverStep<Guarantee<T>>.run($0, $1, T.self) { step, next in step.adopt(next.node, T.self) }
      }.following(node, file, line))
  }

  /// Calls `body` in any case, and passes the outcome on.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do, whatever the outcome.
  @inlinable
  public func ensure(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Void
  ) -> Promise<T> {
    Promise(
      node: .step(dispatcher.flags, EnsureStep(body)) { EnsureStep.run($0, $1, T.self) }
        .following(node, file, line))
  }

  /// Calls `body` in any case, waits for the guarantee that it returns, and passes the outcome on.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do and wait for, whatever the outcome.
  @inlinable
  public func ensureThen(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Guarantee<Void>
  ) -> Promise<T> {
    ensuring(dispatcher.flags, file, line, body)
  }

  /// Calls `body` in any case, waits for the promise or the request that it returns, and passes the outcome on.
  /// If that fails, the result fails with its error.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do and wait for, whatever the outcome.
  ///
  /// PromiseKit's `ensureThen` of a cancellable promise.
  @_disfavoredOverload
  @inlinable
  public func ensureThen<U: Chainable>(
    on dispatcher: LoopDispatcher? = conf.Q.return, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> U
  ) -> Promise<T> where U.T == Void {
    ensuring(dispatcher.flags, file, line, body)
  }

  @inlinable
  func ensuring<U: Chainable>(
    _ flags: Node.Flags, _ file: StaticString, _ line: UInt, _ body: @escaping () -> U
  ) -> Promise<T> where U.T == Void {
    Promise(
      node: .step(flags, MapStep({ (_: Void) in body() })) { step, source in
        let body = step.takeHandler(MapStep<Void, U>.self).body
        guard let made = try? body(()) else { return }
        step.adopt(made.node) { step, ensured in
          if ensured.state == .fulfilled { step.pass(source, T.self) } else { step.reject(ensured.failure) }
        }
      }.following(node, file, line))
  }

  /// Ends the chain: an error goes to the log handler, as ``LogEvent/cauterized(_:)``.
  @discardableResult
  public func cauterize() -> PMKFinalizer {
    self.catch { conf.logHandler(.cauterized($0)) }
  }
}

extension CatchMixin where T == Void {
  /// Calls `body` with the error, cancellations included, and goes on without one.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do about the error.
  @inlinable
  @discardableResult
  public func recover(
    on dispatcher: LoopDispatcher? = conf.Q.map, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (any Error) -> Void
  ) -> Guarantee<Void> {
    Guarantee(
      node: .step(dispatcher.flags.union([.isGuarantee, .coversCancellation, .recovers]), CatchStep(body)) {
        CatchStep.run($0, $1, passesUncovered: true)
      }.following(node, file, line))
  }

  /// Calls `body` with the error, and goes on without one unless `body` throws.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - policy: Whether cancellations are errors here; ``Configuration/catchPolicy`` unless said otherwise.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: What to do about the error.
  @inlinable
  public func recover(
    on dispatcher: LoopDispatcher? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping (any Error) throws -> Void
  ) -> Promise<Void> {
    Promise(
      node: .step(dispatcher.flags.union(policy.flags).union(.recovers), CatchStep(body)) {
        CatchStep.run($0, $1, passesUncovered: true)
      }.following(node, file, line))
  }
}
