/// What is open on a loop, and how jobs reached it; see ``EventLoop/activity``.
public struct LoopActivity: Hashable, Sendable {
  /// Handles that are not closed yet.
  public var handles: Int
  /// Requests given to libuv that have not completed.
  public var requests: Int
  /// Timers and sleeps that have not fired.
  public var timers: Int
  /// Tasks that have not finished, the body of `run` among them.
  public var tasks: Int
  /// Parts of Swift tasks enqueued on the loop's own thread, since the loop was made.
  public var jobsFromLoop: Int
  /// Parts of Swift tasks enqueued by other threads, since the loop was made.
  public var jobsFromOtherThreads: Int

  /// Whether nothing is open.
  public var isIdle: Bool { handles == 0 && requests == 0 && timers == 0 && tasks == 0 }
}
