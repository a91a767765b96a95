import CUV

/// Counts of what a loop has done since it was made; see ``EventLoop/metrics``.
///
/// The corresponding libuv type is `uv_metrics_t`.
public struct LoopMetrics: Hashable, Sendable {
  /// How many turns the loop has made.
  public let turns: UInt64
  /// How many events the system has reported.
  public let events: UInt64
  /// How many of the events had happened before the loop asked for them. If nearly all had, the loop has no
  /// time to spare.
  public let eventsWaiting: UInt64
}

extension EventLoop {
  /// Counts of what the loop has done since it was made. Call it on the loop's thread. An adopted loop counts
  /// what its host has done too. Complexity: O(1).
  ///
  /// It is nil with a libuv older than 1.45, which doesn't count, and after ``shutdown()`` or ``detach()``.
  /// The version that the program runs with decides, not the one that it was compiled with.
  ///
  /// The corresponding libuv function is `uv_metrics_info`.
  public var metrics: LoopMetrics? {
    guard !isClosed, let metricsInfo = internals.newer.metricsInfo else { return nil }
    var counts = cuv_metrics()
    guard metricsInfo(raw, &counts) == 0 else { return nil }
    return LoopMetrics(turns: counts.loop_count, events: counts.events, eventsWaiting: counts.events_waiting)
  }
}
