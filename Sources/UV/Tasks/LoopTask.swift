/// A task on an event loop, made by `spawn` of ``EventLoop`` or ``LoopTaskGroup``. On the loop's thread only.
///
/// It is a reference: copies stand for the same task. To keep tasks with values of different types in one
/// collection, keep each one's ``cancellation``.
public struct LoopTask<Success, Failure: Error> {
  let task: OutcomeTask<Success, Failure>

  @inline(__always)
  init(_ task: OutcomeTask<Success, Failure>) { self.task = task }

  /// The outcome of the task, or nil while the task runs.
  public var resultIfFinished: Result<Success, Failure>? { task.resultIfFinished }

  /// Waits for the task to end, and returns its value. Cancelling the waiting task doesn't cancel this one.
  ///
  /// - Throws: What the body threw.
  public var value: Success {
    get async throws(Failure) {
      await task.waitForEnd()
      return try task.result.get()
    }
  }

  /// Cancels the task. A request that the task waits for on the loop ends with `cancelled`, and
  /// `Task.isCancelled` is true in the task. Call it on the loop's thread.
  public func cancel() { task.cancel() }

  /// Whether the task was cancelled before it had ended.
  public var isCancelled: Bool { task.isCancelled }

  /// A value that cancels this task from any thread. It doesn't keep the task or the loop.
  public var cancellation: LoopTaskCancellation { LoopTaskCancellation(task) }

  /// Whether the task keeps its loop running until it has ended. It is true by default.
  ///
  /// Set it to false for a task that only serves what others ask for, such as one that iterates over a
  /// listener which doesn't keep the loop running either. A run then ends although the task waits. The task
  /// goes on in the next run, and is cancelled when the loop is shut down. A loop that is asked to stop waits
  /// for it all the same: from then on this is true. The sleep, the read or the listener that the task waits
  /// for may keep the loop running too. A task that has ended, or that its loop has left, returns false and
  /// ignores a new value.
  ///
  /// ```swift
  /// listener.keepsLoopRunning = false
  /// let server = loop.spawn { for try await connection in listener { serve(connection) } }
  /// server.keepsLoopRunning = false
  /// ```
  ///
  /// The corresponding libuv functions are `uv_has_ref`, `uv_ref` and `uv_unref`.
  public var keepsLoopRunning: Bool {
    get { task.keepsLoopRunning }
    nonmutating set { task.keepsLoopRunning = newValue }
  }
}

extension LoopTask where Failure == Never {
  /// Waits for the task to end, and returns its value. Cancelling the waiting task doesn't cancel this one.
  public var value: Success {
    // This isn't for convenience: Swift 6.3.1 crashes on a call of the other getter if its failure is
    // `Never`.
    get async {
      await task.waitForEnd()
      return task.result.get()
    }
  }
}
