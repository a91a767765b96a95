extension EventLoop {
  /// Runs `body` with a group of tasks, and returns once all of them have ended.
  ///
  /// ```swift
  /// try await loop.withTasks { tasks in
  ///   tasks.spawn { try await copy(from: client, to: server) }
  ///   tasks.spawn { try await copy(from: server, to: client) }
  /// }
  /// ```
  ///
  /// The body is the first task of the group. All tasks share the loop's thread, so they may use whatever is
  /// around them. The first task that throws has the others cancelled, and its error is thrown from here. If
  /// the task that calls this is cancelled, all tasks of the group are. A task that is cancelled alone, with
  /// its `cancel()`, doesn't end the others. On the loop's thread only.
  ///
  /// - Parameters:
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do. It may start tasks with `spawn` of the group that it is passed.
  /// - Returns: What the body returned.
  /// - Throws: The first error of a task; `cancelled` if the caller was cancelled and a task ended because of
  ///   that.
  ///
  /// The corresponding function of Swift's is `withThrowingTaskGroup`.
  @discardableResult
  public nonisolated(nonsending) func withTasks<T>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LoopTaskGroup) async throws -> T
  ) async throws -> T {
    try await LoopTaskGroup(self).run(SourcePlace(file: file, line: line), body)
  }

  /// Runs `body` to its end, even if the task that calls this has been cancelled or is cancelled meanwhile,
  /// and even if the loop is stopped: the place for a goodbye.
  ///
  /// ```swift
  /// try await loop.withShield {
  ///   try await loop.withDeadline(.seconds(2)) { try await connection.shutdown().value }
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, which this waits for. A body that doesn't end keeps the loop
  /// running, so give it a deadline. Once the loop is being shut down, its requests fail with `loopClosed`
  /// all the same. On the loop's thread only.
  ///
  /// - Parameters:
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: What the body threw.
  public nonisolated(nonsending) func withShield<T, E: Error>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws(E) -> T
  ) async throws(E) -> T {
    let task = LoopTask(loop: self, SourcePlace(file: file, line: line), .general(body))
    task.isShielded = true
    setName(name(of: currentTask), of: task)
    start(task)
    await task.waitForEnd()
    return try task.resultIfFinished!.get()
  }
}
