extension EventLoop {
  /// Runs `body`, and cancels it if it takes longer than `limit`. On the loop's thread only.
  ///
  /// ```swift
  /// let reply = try await loop.withDeadline(.seconds(5)) {
  ///   try await connection.write(request).value
  ///   return try await connection.next()
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, which this waits for. Deadlines nest: the earliest one counts. A
  /// body that has a value in spite of its cancellation is in time. So is one that reads an `AsyncStream` or the
  /// `values` of a publisher, which end without an error when their task is cancelled: call
  /// `try Task.checkCancellation()` behind them, and this throws `timedOut`.
  ///
  /// - Parameters:
  ///   - limit: How long the body may take; with zero or less it is cancelled in the next turn of the loop.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: `timedOut` if the body ended because of the deadline; otherwise what the body threw.
  public nonisolated(nonsending) func withDeadline<T>(
    _ limit: Duration, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) async throws -> T {
    try await cancelling(
      throwing: UVError(.timedOut, operation: "withDeadline", subject: limit.description),
      at: file, line,
      when: { isOver in
        sleep(for: limit) { result in
          guard case .success = result else { return }
          self.microtasks.state.pointee.counts.timeouts += 1
          isOver()
        }
      }, body)
  }

  /// Runs `body` in a task of its own, which is cancelled when something happens.
  ///
  /// - Parameters:
  ///   - reason: The error to throw if the body has ended because of that.
  ///   - file: Where the body is from.
  ///   - line: The line there.
  ///   - begin: Begins to wait for the event, and calls the function that it is given when that happens.
  ///   - body: What to do; it need not be `Sendable`.
  package nonisolated(nonsending) func cancelling<T>(
    throwing reason: UVError, at file: StaticString, _ line: UInt,
    when begin: (@escaping () -> Void) -> PendingRequest,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) async throws -> T {
    let group = LoopTaskGroup(self)
    var hasHappened = false
    let event = begin {
      hasHappened = true
      group.cancelAll()
    }
    defer { event.cancel() }
    do { return try await group.run(SourcePlace(file: file, line: line)) { _ in try await body() } } catch {
      if hasHappened, !group.wasCancelled, error.isCancellation { throw reason }
      throw error
    }
  }
}
