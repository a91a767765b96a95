import CUV

/// An option of a loop; set it with ``EventLoop/configure(_:)``.
public enum LoopOption: Hashable, Sendable {
  /// Measures how long the loop waits for events; see ``LoopStatistics/idleTime``. It costs two readings of the
  /// clock for each wait.
  ///
  /// The corresponding libuv constant is `UV_METRICS_IDLE_TIME`.
  case idleTime
  /// Measures how long the loop's turns take; see ``EventLoop/lag``. It costs two readings of the clock for
  /// each turn, and 8 KiB.
  case lag
  /// Keeps a signal from waking the loop while it waits for events. libuv accepts only `SIGPROF`, which a
  /// profiler sends all the time.
  ///
  /// The corresponding libuv constant is `UV_LOOP_BLOCK_SIGNAL`.
  case blockSignal(Signal)
}

extension EventLoop {
  /// Sets an option, before the loop runs or while it runs. Call it on the loop's thread.
  ///
  /// - Parameter option: The option to set. An option can't be unset.
  /// - Throws: `invalidArgument` for a signal that libuv can't block, and `loopClosed` after
  ///   ``EventLoop/shutdown()``.
  ///
  /// The corresponding libuv function is `uv_loop_configure`.
  public func configure(_ option: LoopOption) throws(UVError) {
    requireOnLoop()
    if isClosed { throw UVError(.loopClosed, operation: "loop_configure") }
    switch option {
    case .lag: measureLag()
    case .idleTime: try check(cuv_loop_measure_idle_time(raw), "loop_configure")
    case .blockSignal(let signal):
      try check(cuv_loop_block_signal(raw, signal.rawValue), "loop_configure", signal.description)
    }
  }
}
