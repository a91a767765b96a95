extension Thenable where T: Sendable {
  /// Calls `transform` elsewhere; see ``map(on:file:line:_:)-(LoopDispatcher?,_,_,(Self.T)->U)``.
  ///
  /// - Parameters:
  ///   - dispatcher: Where to run `transform`. The result is settled on the loop of this promise.
  ///   - transform: Makes the new value. If it throws, the result is rejected with the error.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  @_disfavoredOverload
  public func map<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T) throws -> U
  ) -> Promise<U> {
    Promise(node: Node.mapping(node, on: dispatcher, file, line, transform) { $0.fulfill($2) })
  }

  /// Calls `transform` elsewhere; see ``compactMap(on:file:line:_:)-(LoopDispatcher?,_,_,(Self.T)->U?)``.
  @_disfavoredOverload
  public func compactMap<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T) throws -> U?
  ) -> Promise<U> {
    Promise(
      node: Node.mapping(node, on: dispatcher, file, line, transform) { node, value, result in
        if let result { node.fulfill(result) } else { node.reject(PMKError.compactMap("\(value)", U.self)) }
      })
  }

  /// Calls `body` elsewhere, and ends as the promise that it returns; see ``then(on:file:line:_:)``. The
  /// promise is made there and comes back to the loop of this one.
  @_disfavoredOverload
  public func then<U: Thenable & SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) throws -> sending U
  ) -> Promise<U.T> {
    Promise(node: Node.chaining(node, on: dispatcher, file, line, body))
  }

  /// Calls `body` elsewhere; see ``done(on:file:line:_:)``.
  @_disfavoredOverload
  public func done(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) throws -> Void
  ) -> Promise<Void> {
    map(on: dispatcher, file: file, line: line, body)
  }

  /// Calls `body` elsewhere and passes the value on; see ``get(on:file:line:_:)``.
  @_disfavoredOverload
  public func get(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) throws -> Void
  ) -> Promise<T> {
    map(on: dispatcher, file: file, line: line) { value in
      try body(value)
      return value
    }
  }

  /// Calls `body` elsewhere with the outcome and passes that on; see ``tap(on:file:line:_:)``.
  @_disfavoredOverload
  public func tap(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (PMKResult<T>) -> Void
  ) -> Promise<T> {
    Promise(
      node: Node(flags: .isInline) { node, source in
        let outcome = source.outcome(as: T.self)
        node.settle(on: dispatcher, { body(outcome) }) { node, _ in node.resolve(outcome) }
      }.following(node, file, line))
  }
}

extension CatchMixin where T: Sendable {
  /// Calls `body` elsewhere with the error; see ``catch(on:policy:file:line:_:)``.
  @_disfavoredOverload
  @discardableResult
  public func `catch`(
    on dispatcher: any Dispatcher, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) -> Void
  ) -> PMKFinalizer {
    PMKFinalizer(
      node: Node(flags: policy.flags.union([.isInline, .isGuarantee])) { node, source in
        guard source.state == .rejected, node.covers(source.failure) else { return node.fulfill(()) }
        let error = source.failure
        node.settle(on: dispatcher, { body(error) }) { node, _ in node.fulfill(()) }
      }.following(node, file, line))
  }

  /// Calls `body` elsewhere with the error, and ends as the promise that it returns; see
  /// ``recover(on:policy:file:line:_:)``.
  @_disfavoredOverload
  public func recover<U: Thenable & SendableMetatype>(
    on dispatcher: any Dispatcher, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) throws -> sending U
  ) -> Promise<T> where U.T == T {
    Promise(
      node: Node(flags: policy.flags.union([.isInline, .recovers])) { node, source in
        guard source.state != .fulfilled, node.covers(source.failure) else {
          return node.pass(source, T.self)
        }
        let error = source.failure
        node.settle(on: dispatcher, from: { try body(error) }) { $0.adopt($1, T.self) }
      }.following(node, file, line))
  }

  /// Calls `body` elsewhere in any case and passes the outcome on; see ``ensure(on:file:line:_:)``.
  @_disfavoredOverload
  public func ensure(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Promise<T> {
    tap(on: dispatcher, file: file, line: line) { _ in body() }
  }

  /// Calls `body` elsewhere in any case, waits for the guarantee that it returns, and passes the outcome on;
  /// see ``ensureThen(on:file:line:_:)``.
  @_disfavoredOverload
  public func ensureThen(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> sending Guarantee<Void>
  ) -> Promise<T> {
    Promise(
      node: Node(flags: .isInline) { node, source in
        let outcome = source.outcome(as: T.self)
        node.settle(on: dispatcher, from: body) { node, made in
          node.adopt(made) { node, _ in node.resolve(outcome) }
        }
      }.following(node, file, line))
  }

  /// Calls `body` elsewhere with the error, cancellations included, and ends as the guarantee that it
  /// returns; see ``recover(on:file:line:_:)``.
  @_disfavoredOverload
  @discardableResult
  public func recover(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> sending Guarantee<T>
  ) -> Guarantee<T> {
    Guarantee(
      node: Node(flags: [.isInline, .isGuarantee, .coversCancellation, .recovers]) { node, source in
        guard source.state != .fulfilled else { return node.pass(source, T.self) }
        let error = source.failure
        node.settle(on: dispatcher, from: { body(error) }) { $0.adopt($1, T.self) }
      }.following(node, file, line))
  }
}

extension CatchMixin where T == Void {
  /// Calls `body` elsewhere with the error, cancellations included, and goes on without one; see
  /// ``recover(on:file:line:_:)``.
  @_disfavoredOverload
  @discardableResult
  public func recover(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Guarantee<Void> {
    Guarantee(
      node: Node(flags: [.isInline, .isGuarantee, .coversCancellation, .recovers]) { node, source in
        guard source.state != .fulfilled else { return node.fulfill(()) }
        let error = source.failure
        node.settle(on: dispatcher, { body(error) }) { node, _ in node.fulfill(()) }
      }.following(node, file, line))
  }

  /// Calls `body` elsewhere with the error, and goes on without one unless `body` throws; see
  /// ``recover(on:policy:file:line:_:)``.
  @_disfavoredOverload
  public func recover(
    on dispatcher: any Dispatcher, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) throws -> Void
  ) -> Promise<Void> {
    Promise(
      node: Node(flags: policy.flags.union([.isInline, .recovers])) { node, source in
        guard source.state != .fulfilled, node.covers(source.failure) else {
          return node.pass(source, Void.self)
        }
        let error = source.failure
        node.settle(on: dispatcher, { try body(error) }) { node, _ in node.fulfill(()) }
      }.following(node, file, line))
  }
}
