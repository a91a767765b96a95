/// The actor that a loop's tasks run in, so that the compiler and the runtime know that they share its thread.
actor LoopActor {
  private nonisolated let executor: LoopExecutor

  init(_ executor: LoopExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a task's body, which was made on the loop's thread and runs there.
  func run<T, E: Error>(_ task: UnsafeTransfer<LoopTask<T, E>>) async {
    let task = task.value
    // The task may begin only because somebody waits for it.
    if task.place > 0 { withUnsafeCurrentTask { $0?.cancel() } }
    // The closure and its captures are released as soon as the closure has ended.
    let body = task.takeBody()
    do throws(E) { task.finish(.success(try await body())) } catch { task.finish(.failure(error)) }
  }
}
