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
