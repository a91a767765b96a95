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

  /// Runs `body` with a group of tasks of which only so many run at the same time, and returns once all of
  /// them have ended. Starting one more waits until another one ends.
  ///
  /// ```swift
  /// try await loop.withTasks(limit: 8) { tasks in
  ///   for address in addresses { try await tasks.spawn { try await check(address) } }
  /// }
  /// ```
  ///
  /// Apart from the limit, this does what ``withTasks(file:line:_:)`` does. For tasks with values, use
  /// ``withTasks(of:limit:file:line:_:)``. On the loop's thread only.
  ///
  /// - Parameters:
  ///   - limit: How many tasks may run at the same time, 1 or more. The body doesn't count.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do. It may start tasks with `spawn` of the group that it is passed.
  /// - Returns: What the body returned.
  /// - Throws: The first error of a task; `cancelled` if the caller was cancelled and a task ended because of
  ///   that; `invalidArgument` if the limit is less than 1.
  ///
  /// It corresponds to no function of Swift's.
  @discardableResult
  public nonisolated(nonsending) func withTasks<T>(
    limit: Int, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LimitedTaskGroup<Void>) async throws -> T
  ) async throws -> T {
    try await withTasks(of: Void.self, limit: limit, file: file, line: line, body)
  }

  /// Runs `body` with a group of tasks whose values can be taken in the order in which the tasks end, and
  /// returns once all of them have ended.
  ///
  /// ```swift
  /// try await loop.withTasks(of: Bytes.self, limit: 4) { tasks in
  ///   for path in paths {
  ///     try await tasks.spawn { try await loop.files.readFile(path).value }
  ///   }
  ///   for try await file in tasks { print(file.count) }
  /// }
  /// ```
  ///
  /// Apart from that, this does what ``withTasks(file:line:_:)`` does. On the loop's thread only.
  ///
  /// - Parameters:
  ///   - type: The type of the tasks' values.
  ///   - limit: How many tasks may run at the same time, 1 or more; any number, unless you say otherwise.
  ///     The body doesn't count.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do. It may start tasks with `spawn` of the group that it is passed.
  /// - Returns: What the body returned.
  /// - Throws: The first error of a task; `cancelled` if the caller was cancelled and a task ended because of
  ///   that; `invalidArgument` if the limit is less than 1.
  ///
  /// The corresponding function of Swift's is `withThrowingTaskGroup`.
  @discardableResult
  public nonisolated(nonsending) func withTasks<Value, T>(
    of type: Value.Type, limit: Int = .max, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LimitedTaskGroup<Value>) async throws -> T
  ) async throws -> T {
    guard limit >= 1 else {
      throw UVError(.invalidArgument, operation: "withTasks", subject: "a limit of \(limit)")
    }
    return try await LimitedTaskGroup(self, limit).run(SourcePlace(file: file, line: line), body)
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
    let task = ValueTask(loop: self, SourcePlace(file: file, line: line), .general(body))
    task.isShielded = true
    setName(name(of: currentTask), of: task)
    start(task)
    await task.waitForEnd()
    return try task.resultIfFinished!.get()
  }
}
