/// Suspends the current task until `start`'s continuation is resumed. If the task is cancelled meanwhile,
/// what it waits for is cancelled. On the loop's thread.
///
/// - Parameter start: Begins to wait, and returns a way to cancel.
@inline(__always)
nonisolated(nonsending) func suspend<T>(
  on loop: EventLoop, task: LoopTaskBase?,
  _ start: (UnsafeContinuation<UnsafeTransfer<T>, Never>) -> PendingRequest
) async -> T {
  if let task {
    let value = await withContinuation { continuation in task.willWait(for: start(continuation)) }
    task.didWait()
    return value.value
  }
  return await suspendWithHandler(on: loop, isolation: #isolation, start)
}

/// The same for a task that the loop didn't start, such as a child task or a task of another executor.
func suspendWithHandler<T>(
  on loop: EventLoop, isolation: isolated (any Actor)?,
  _ start: (UnsafeContinuation<UnsafeTransfer<T>, Never>) -> PendingRequest
) async -> T {
  let wait = Wait()
  // Sound: the wait is touched only on the loop's thread.
  let transfer = UnsafeTransfer(wait)
  let executor = loop.executor
  let value = await withTaskCancellationHandler {
    // Keeps the closure on its caller's executor.
    _ = isolation
    return await withUnsafeContinuation { continuation in
      wait.request = start(continuation)
      // The task was cancelled before there was something to cancel.
      if Task.isCancelled { wait.request.cancel() }
    }
  } onCancel: {
    if executor.isOnLoop {
      transfer.value.request.cancel()
    } else {
      try? executor.execute { _ in transfer.value.request.cancel() }
    }
  }
  return value.value
}

private final class Wait {
  var request = PendingRequest()
}

/// Cancels a task of a loop from any thread: ``LoopTask/cancellation``.
///
/// For a place that asks for something `Sendable`, such as the `onTermination` of an `AsyncStream`:
///
/// ```swift
/// let cancellation = loop.spawn { try await serve() }.cancellation
/// continuation.onTermination = { _ in cancellation.cancel() }
/// ```
public struct LoopTaskCancellation: Sendable {
  /// Nil for a task whose loop may be gone.
  private let task: LoopReference<LoopTaskBase>?

  init(_ task: LoopTaskBase) { self.task = task.hasLoop ? LoopReference(task, of: task.loop) : nil }

  /// Cancels the task, as ``LoopTask/cancel()`` does: at once on the loop's thread, from another thread
  /// in the loop's next turn. Does nothing if the task has ended, or the loop.
  public func cancel() { task?.perform { $0.cancel() } }
}
