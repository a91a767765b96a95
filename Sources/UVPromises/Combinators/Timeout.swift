import UV

/// A promise that is rejected with ``PMKError/timedOut`` after so many seconds; for a `race` with the work.
///
/// PromiseKit 7's `timeout(seconds:)`.
public func timeout(
  seconds: Double, file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> {
  after(seconds: seconds, file: file, line: line).map(on: .inline) { throw PMKError.timedOut }
}

extension Thenable {
  /// The same promise, given up after a time: rejected with ``PMKError/timedOut``. The work is then
  /// cancelled, if nobody else waits for it.
  ///
  /// - Parameters:
  ///   - limit: How long to wait; zero or less means until the next turn of the loop.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///
  /// google/promises' `timeout`.
  @inlinable
  public func timeout(
    after limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<T> {
    let source = Promise(self).node
    if source.state == .pending {
      return Promise(
        node: LimitedNode(source, limit, file, line) { LimitedNode.finish($0, $1, T.self) })
    }
    let node = Node()
    node.made(file, line)
    source.flags.insert(.isHandled)
    node.pass(source, T.self)
    return Promise(node: node)
  }

  /// The same promise, given up after so many seconds; see ``timeout(after:file:line:)``.
  ///
  /// google/promises' `timeout`.
  @inlinable
  public func timeout(
    _ seconds: Double, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<T> {
    timeout(after: Duration(clampedSeconds: seconds), file: file, line: line)
  }

  /// The same promise, whose value, if it has one, is passed on after a time.
  ///
  /// google/promises' `delay`.
  public func delay(
    _ interval: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<T> {
    then(on: .inline, file: file, line: line) { value in
      UVPromises.after(interval, file: file, line: line).map(on: .inline) { value }
    }
  }
}
