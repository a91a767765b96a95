/// Counts of what is open on a loop, and of the jobs that reached it; see ``EventLoop/activity``.
public struct LoopActivity: Hashable, Sendable {
  /// Handles that are not closed yet.
  public var handles: Int
  /// Requests given to libuv that have not completed.
  public var requests: Int
  /// Timers and sleeps that have not fired, and streams that look at their timeouts.
  public var timers: Int
  /// Tasks that have not finished. The body of `run` is one of them.
  public var tasks: Int
  /// How many jobs (parts of Swift tasks) the loop's own thread has enqueued since the loop was made.
  public var jobsFromLoop: Int
  /// How many jobs (parts of Swift tasks) other threads have enqueued since the loop was made.
  public var jobsFromOtherThreads: Int

  /// Whether nothing is open: no handle, no request, no timer and no task.
  public var isIdle: Bool { handles == 0 && requests == 0 && timers == 0 && tasks == 0 }
}
