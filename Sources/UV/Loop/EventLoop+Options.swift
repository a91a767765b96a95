import CUV

/// What can be chosen for a loop; see ``EventLoop/configure(_:)``.
public enum LoopOption: Hashable, Sendable {
  /// Has the loop measure how long it waits; see ``EventLoop/idleTime``. Two readings of the clock for each wait.
  case idleTime
  /// Has the loop not be woken by a signal while it waits for events. libuv takes `SIGPROF` alone, which a profiler
  /// sends all the time.
  case blockSignal(Signal)
}

extension EventLoop {
  /// Chooses an option, before the loop runs or while it does.
  ///
  /// - Throws: `invalidArgument` for a signal that libuv does not block, `loopClosed`.
  ///
  /// The corresponding libuv function is `uv_loop_configure`.
  public func configure(_ option: LoopOption) throws(UVError) {
    if isClosed { throw UVError(.loopClosed, operation: "loop_configure") }
    switch option {
    case .idleTime: try check(cuv_loop_measure_idle_time(raw), "loop_configure")
    case .blockSignal(let signal):
      try check(cuv_loop_block_signal(raw, signal.rawValue), "loop_configure", signal.description)
    }
  }

  /// How long the loop has waited for events since it began to measure; zero without the option ``LoopOption/idleTime``.
  /// A loop that waits little has little time to spare.
  ///
  /// The corresponding libuv function is `uv_metrics_idle_time`.
  public var idleTime: Duration { isClosed ? .zero : .nanoseconds(uv_metrics_idle_time(raw)) }
}
