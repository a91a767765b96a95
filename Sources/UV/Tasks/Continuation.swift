/// Suspends the task until the continuation is resumed. It does the same as `withUnsafeContinuation` without
/// a change of executor.
///
/// `withUnsafeContinuation` takes an isolation and so begins by changing to it. That costs as much as a read,
/// even if it changes nothing. This function stays on its caller's executor.
@inlinable
@inline(__always)
nonisolated(nonsending) func withContinuation<T>(
  _ body: (UnsafeContinuation<T, Never>) -> Void
) async -> sending T {
  await _unsafeInheritExecutor_withUnsafeContinuation(body)
}

extension EventLoop {
  /// Gives way on the loop of this thread; see ``giveWay()``.
  package nonisolated(nonsending) static func giveWay() async { await current?.giveWay() }

  /// Suspends the task until the microtasks that are queued now have run. If the turn's budget is used up,
  /// that is in the next turn.
  nonisolated(nonsending) func giveWay() async {
    await withContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      queueMicrotask { continuation.resume() }
    }
  }
}
