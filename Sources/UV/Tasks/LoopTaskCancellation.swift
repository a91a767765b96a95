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
