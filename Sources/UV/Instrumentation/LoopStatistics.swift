import CUV

/// Counts of a loop: of open objects, and of its work since it was made; see ``EventLoop/statistics``.
public struct LoopStatistics: Hashable, Sendable {
  // MARK: What is open

  /// Handles that are not closed yet.
  public let handles: Int
  /// Requests given to libuv that have not completed.
  public let requests: Int
  /// Timers and sleeps that have not fired, and streams that look at their timeouts.
  public let timers: Int
  /// Tasks that have not finished. The body of `run` is one of them.
  public let tasks: Int

  /// Whether nothing is open: no handle, no request, no timer and no task.
  public var isIdle: Bool { handles == 0 && requests == 0 && timers == 0 && tasks == 0 }

  // MARK: What has been done

  /// How many jobs (parts of Swift tasks) the loop's own thread has enqueued since the loop was made.
  public let jobsFromLoop: Int
  /// How many jobs (parts of Swift tasks) other threads have enqueued since the loop was made.
  public let jobsFromOtherThreads: Int
  /// Connections that the loop's listeners have accepted.
  public let accepted: Int
  /// How many times a connection couldn't be accepted: the process had no descriptor left, the peer had gone,
  /// or its TLS session couldn't be made.
  public let refused: Int
  /// How many times a wait has reached its limit: that of `timeout(after:)`, of `withDeadline`, or a stream's
  /// timeout.
  public let timeouts: Int
  /// Bytes that streams have read. On a connection with TLS these are the encrypted bytes.
  public let bytesRead: Int
  /// Bytes that the system has taken from streams. A write that waits counts when it ends.
  public let bytesWritten: Int

  // MARK: What libuv counts

  /// How many turns the loop has made. It is nil with a libuv older than 1.45, which doesn't count, and after
  /// ``EventLoop/shutdown()`` or `detach()`. The version that the program runs with decides, not the one that
  /// it was compiled with. An adopted loop counts what its host has done too.
  public let turns: UInt64?
  /// How many events the system has reported; nil as ``turns``.
  public let events: UInt64?
  /// How many of the events had happened before the loop asked for them; nil as ``turns``. If nearly all had,
  /// the loop has no time to spare.
  public let eventsWaiting: UInt64?
  /// How long the loop has waited for events since it began to measure. It is zero without the option
  /// ``LoopOption/idleTime``. A loop that waits little has little time to spare.
  public let idleTime: Duration

  init(_ loop: EventLoop) {
    handles = loop.openHandles.count
    requests = loop.requests.count
    timers = loop.timers.count + (loop.timers.quiet?.count ?? 0)
    tasks = loop.tasks.count
    let state = loop.microtasks.state
    jobsFromLoop = state.pointee.jobsFromLoop
    jobsFromOtherThreads = state.pointee.jobsFromOtherThreads
    let counts = state.pointee.counts
    (accepted, refused, timeouts) = (counts.accepted, counts.refused, counts.timeouts)
    (bytesRead, bytesWritten) = (counts.bytesRead, counts.bytesWritten)
    let metrics = loop.metrics
    (turns, events, eventsWaiting) = (metrics?.loop_count, metrics?.events, metrics?.events_waiting)
    idleTime = loop.isClosed ? .zero : .nanoseconds(uv_metrics_idle_time(loop.raw))
  }
}
