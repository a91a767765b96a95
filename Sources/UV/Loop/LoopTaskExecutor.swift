/// Runs tasks on a loop's thread that belong to no actor there, such as those of SwiftNIO's asynchronous
/// channels.
///
/// A job that ``LoopExecutor`` runs counts as work of the loop's actors. So a task that belongs to none would
/// leave it for each function that it calls, by a job on the same thread. Jobs of this executor belong to
/// nobody, and such a task has one job for each time it waits. A task that does belong to the loop is better
/// off with the ``LoopExecutor``.
package final class LoopTaskExecutor: TaskExecutor {
  private let executor: LoopExecutor

  package init(_ executor: LoopExecutor) { self.executor = executor }

  /// Takes a job. The Swift runtime calls this.
  package func enqueue(_ job: consuming ExecutorJob) { executor.enqueue(UnownedJob(job), for: self) }

  @inline(__always)
  func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
