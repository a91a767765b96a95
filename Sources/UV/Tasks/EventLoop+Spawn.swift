extension EventLoop {
  /// Starts a task on this loop. The task begins once the running callback or task gives way. It shares the
  /// loop's thread, so it may use everything that the caller can see.
  ///
  /// Use it in place of `async let` and a task group, which can't take a loop's objects because these aren't
  /// `Sendable`. Instead of `async let a = read()`, write `let a = loop.spawn { try await read() }`. To wait
  /// for the result, await the task's `value`.
  ///
  /// The loop runs until its tasks have ended; ``stop()`` cancels them.
  ///
  /// Call it on the loop's thread only. While the loop stops, is shut down or is detached, a new task is
  /// cancelled from its start, and the loop waits for it. If such tasks spawn each other, one after the
  /// other, only the first 16 begin. After the loop's end no task begins. A task that hasn't begun for one of
  /// these reasons begins, cancelled, when somebody awaits its `value`.
  ///
  /// - Parameters:
  ///   - name: A name for the task, which distinguishes it from others of the same place in
  ///     ``EventLoop/snapshot(limit:)``, and is its `Task.name`.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: The task, to cancel it or to wait for it.
  @discardableResult
  public func spawn(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async -> Void
  ) -> LoopTask<Void, Never> {
    requireOnLoop("spawn")
    let task = OutcomeTask<Void, Never>(loop: self, SourcePlace(file: file, line: line), .plain(body))
    if let name {
      setName(name, of: task)
      start(task)
    } else if isEnding(for: task) {
      startAtEnd(task)
    } else {
      beginPlain(task)
    }
    return LoopTask(task)
  }

  /// Starts a task that has a value or may throw; see the other `spawn`.
  ///
  /// An error that nobody waits for is lost. So the compiler warns if you don't use the task, also if its
  /// body never returns: it may still throw. Keep the task and await its value, handle the error in the body,
  /// or spawn the task in ``withTasks(file:line:_:)``, which throws the error.
  ///
  /// - Parameters:
  ///   - name: A name for the task; see the other `spawn`.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: The task, to cancel it or to wait for its value.
  public func spawn<T, E: Error>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws(E) -> T
  ) -> LoopTask<T, E> {
    requireOnLoop("spawn")
    let task = ValueTask(loop: self, SourcePlace(file: file, line: line), .general(body))
    setName(name, of: task)
    start(task)
    return LoopTask(task)
  }

  /// Gives way on the loop of this thread; see ``giveWay()``.
  package nonisolated(nonsending) static func giveWay() async { await current?.giveWay() }

  /// Suspends the task until the microtasks that are queued now have run. If the turn's budget is used up,
  /// that is in the next turn.
  nonisolated(nonsending) func giveWay() async {
    await withContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      queueMicrotask { continuation.resume() }
    }
  }

  func start(_ task: LoopTaskBase) {
    if isEnding(for: task) { startAtEnd(task) } else { begin(task) }
  }

  private func isEnding(for task: LoopTaskBase) -> Bool {
    microtasks.state.pointee.isEnding && !task.isShielded
  }

  /// Begins a task that is spawned while the loop ends, and cancels it. If nothing can run it any more, or if
  /// it is at the end of a long line, it begins only when somebody waits for it.
  func startAtEnd(_ task: LoopTaskBase) {
    task.place = UInt8(clamping: place + 1)
    // A group waits for each of its tasks.
    if task.group != nil || (executor.isOpenOnLoop && task.place <= LastRound.longestLine) {
      begin(task)
      task.cancel()
      armDeadline()
    } else {
      task.waitToBegin()
    }
  }

  /// The actor of the loop's tasks.
  private var actor: LoopActor {
    if let actor = tasks.actor { return actor }
    let actor = LoopActor(executor)
    tasks.actor = actor
    return actor
  }

  /// Begins a task.
  func begin(_ task: LoopTaskBase) {
    hold()
    task.beginToKeep()
    // Sound: the task's body runs in the loop's actor, on the thread that made it.
    let transfer = UnsafeTransfer(task)
    let actor = actor
    if let name = name(of: task) {
      return task.begin(Task(name: name, executorPreference: executor) { await actor.run(transfer) })
    }
    task.begin(Task(executorPreference: executor) { await actor.run(transfer) })
  }

  /// Begins a task that has a plain body.
  private func beginPlain(_ task: OutcomeTask<Void, Never>) {
    hold()
    task.beginToKeep()
    // Sound: as above.
    let transfer = UnsafeTransfer(task)
    let actor = actor
    task.begin(Task(executorPreference: executor) { await actor.runPlain(transfer) })
  }
}

/// The names of tasks. They stand apart from the tasks, since most tasks have none.
extension EventLoop {
  /// Gives a task that hasn't begun a name, until it ends.
  func setName(_ name: String?, of task: LoopTaskBase) {
    if let name { tasks.names[ObjectIdentifier(task)] = name }
  }

  func name(of task: LoopTaskBase?) -> String? {
    guard !tasks.names.isEmpty, let task else { return nil }
    return tasks.names[ObjectIdentifier(task)]
  }

  /// The task won't be among the loop's any more.
  @inline(__always)
  func dropName(of task: LoopTaskBase) {
    if !tasks.names.isEmpty { tasks.names[ObjectIdentifier(task)] = nil }
  }
}
