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
    let group = LoopTaskGroup(self)
    var hasExpired = false
    let timer = sleep(for: limit) { result in
      guard case .success = result else { return }
      hasExpired = true
      self.microtasks.state.pointee.counts.timeouts += 1
      group.cancelAll()
    }
    defer { timer.cancel() }
    do { return try await group.run(SourcePlace(file: file, line: line)) { _ in try await body() } } catch {
      if hasExpired, !group.wasCancelled, error.isCancellation {
        throw UVError(.timedOut, operation: "withDeadline", subject: limit.description)
      }
      throw error
    }
  }
}
