extension EventLoop {
  /// Starts a task on this loop. It begins after the callback or task that is running now gives way, and shares
  /// its thread, so that it may use whatever the caller can see.
  ///
  /// The loop runs until its tasks have ended; ``stop()`` cancels them.
  ///
  /// On the loop's thread only. While the loop is being shut down or detached, a task is cancelled from its start, and
  /// is waited for. Afterwards there is nothing that could run it: that stops the program with a message.
  ///
  /// - Parameter body: What to do; it need not be `Sendable`.
  /// - Returns: The task, to cancel it or wait for it.
  @discardableResult
  public func spawn(_ body: nonisolated(nonsending) @escaping () async -> Void) -> LoopTask<Void, Never> {
    start(LoopTask(loop: self, body))
  }

  /// Starts a task that has a value or may throw; see the other `spawn`. An error that nobody waits for is lost,
  /// so the result is not to be discarded without a thought.
  public func spawn<T, E: Error>(
    _ body: nonisolated(nonsending) @escaping () async throws(E) -> T
  ) -> LoopTask<T, E> {
    start(LoopTask(loop: self, body))
  }

  private func start<T, E: Error>(_ task: LoopTask<T, E>) -> LoopTask<T, E> {
    require(executor.isOpenOnLoop, "spawn: \(UVError.Code.loopClosed.message)")
    beginWork()
    // Sound: the task's body runs in the loop's actor, on the thread that made it.
    let transfer = UnsafeTransfer(task)
    let actor = actor
    task.begin(Task(executorPreference: executor) { await actor.run(transfer) })
    if isStopRequested || isClosed { task.cancel() }
    return task
  }
}
