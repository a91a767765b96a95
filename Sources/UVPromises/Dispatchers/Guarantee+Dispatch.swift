extension Guarantee where T: Sendable {
  /// Calls `transform` elsewhere; see ``map(on:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - dispatcher: Where to run `transform`. The result is resolved on the loop of this guarantee.
  ///   - transform: Makes the new value.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  @_disfavoredOverload
  public func map<U: Sendable>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T) -> U
  ) -> Guarantee<U> {
    Guarantee<U>(
      node: Node.mapping(node, on: dispatcher, file, line, flags: .isGuarantee, transform) { $0.fulfill($2) })
  }

  /// Calls `body` elsewhere; see ``done(on:file:line:_:)``.
  @_disfavoredOverload
  @discardableResult
  public func done(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) -> Void
  ) -> Guarantee<Void> {
    map(on: dispatcher, file: file, line: line, body)
  }

  /// Calls `body` elsewhere and passes the value on; see ``get(on:file:line:_:)``.
  @_disfavoredOverload
  public func get(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) -> Void
  ) -> Guarantee<T> {
    map(on: dispatcher, file: file, line: line) { value in
      body(value)
      return value
    }
  }

  /// Calls `body` elsewhere, and ends as the guarantee that it returns; see ``then(on:file:line:_:)``.
  @discardableResult
  public func then<U: SendableMetatype>(
    on dispatcher: any Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) -> sending Guarantee<U>
  ) -> Guarantee<U> {
    Guarantee<U>(node: Node.chaining(node, on: dispatcher, file, line, flags: .isGuarantee, body))
  }
}
