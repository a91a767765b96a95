/// The actor that a loop's tasks run in, so that the compiler and the runtime know that they share its
/// thread.
actor LoopActor {
  private nonisolated let executor: LoopExecutor

  init(_ executor: LoopExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a task's body, which was made on the loop's thread and runs there.
  func run(_ task: UnsafeTransfer<LoopTaskBase>) async {
    let task = task.value
    cancelIfLate(task)
    await task.run()
  }

  /// Does the same for a task that has a plain body. It stands alone because each call of an asynchronous
  /// function takes memory as long as the task waits.
  func runPlain(_ task: UnsafeTransfer<OutcomeTask<Void, Never>>) async {
    let task = task.value
    cancelIfLate(task)
    // The closure and its captures are released as soon as the closure has ended.
    let body = task.takePlainBody()
    await body()
    task.finish(.success(()))
  }

  /// Cancels a task that may begin only because somebody waits for it.
  private func cancelIfLate(_ task: LoopTaskBase) {
    if task.place > 0 { withUnsafeCurrentTask { $0?.cancel() } }
  }
}
