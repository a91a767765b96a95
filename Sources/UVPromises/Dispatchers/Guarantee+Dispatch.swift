extension Guarantee where T: Sendable {
  /// Calls `transform` elsewhere; see ``map(on:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - dispatcher: Where to run `transform`. The result is resolved on the loop of this guarantee.
  ///   - transform: Makes the new value.
  ///
  /// PromiseKit's `map`.
  public func map<U: Sendable>(
    on dispatcher: some Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (T) -> U
  ) -> Guarantee<U> {
    Guarantee<U>(
      node: Node.mapping(node, on: dispatcher, file, line, flags: .isGuarantee, transform) { $0.fulfill($2) })
  }

  /// Calls `body` elsewhere; see ``done(on:file:line:_:)``.
  ///
  /// PromiseKit's `done`.
  @discardableResult
  public func done(
    on dispatcher: some Dispatcher, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (T) -> Void
  ) -> Guarantee<Void> {
    map(on: dispatcher, file: file, line: line, body)
  }
}
