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

/// The statistics, the lag and the snapshots that a loop reports.
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

  /// Counts of what is open on the loop, for finding leaks, and of what the loop has done. Call it on the
  /// loop's thread. Complexity: O(1).
  ///
  /// ``snapshot(limit:)`` lists what is open, and ``lag`` says how late the loop is.
  ///
  /// The corresponding libuv functions are `uv_metrics_info` and `uv_metrics_idle_time`.
  public var statistics: LoopStatistics {
    assertOnLoop()
    return LoopStatistics(self)
  }

  /// libuv's own counts; nil if libuv has none, or the loop has ended.
  var metrics: cuv_metrics? {
    guard !isClosed, let metricsInfo = internals.newer.metricsInfo else { return nil }
    var counts = cuv_metrics()
    return metricsInfo(raw, &counts) == 0 ? counts : nil
  }

  /// How long the loop's turns have taken since it began to measure. There are none without the option
  /// ``LoopOption/lag``. Call it on the loop's thread. The turn that is running isn't counted yet.
  ///
  /// ```swift
  /// try loop.configure(.lag)
  /// …
  /// print(loop.lag.percentile(99), loop.lag.max)
  /// ```
  ///
  /// The value is a copy that you can keep and send anywhere. Complexity: O(1), a copy of 8 KiB.
  public var lag: LoopLag {
    assertOnLoop()
    return instrumentation.turns?.lag?.value ?? LoopLag()
  }

  /// Begins to measure anew. Call it on the loop's thread.
  ///
  /// - Returns: What has been measured since the loop began to measure, or since the last reset.
  @discardableResult
  public func resetLag() -> LoopLag {
    assertOnLoop()
    let lag = lag
    instrumentation.turns?.lag?.reset()
    return lag
  }

  func measureLag() {
    if instrumentation.turns?.lag == nil { watchTurns { $0.lag = LagMeter() } }
  }

  /// Everything that the loop does and waits for now.
  ///
  /// Call it on the loop's thread. From another thread, use `try await executor.submit { $0.snapshot() }`,
  /// which waits until the loop has time; if a callback never returns, that is never.
  ///
  /// It costs nothing until it is called. A task notes when it began to wait, and a handle and a request when
  /// they were made.
  ///
  /// Complexity: O(*n*) in the number of tasks, handles and requests, some nanoseconds for each. Only those
  /// that are listed are looked at closely, which takes some microseconds for each, system calls for its
  /// addresses included.
  ///
  /// - Parameter limit: How many tasks to list, how many handles, and so on; 0 or more. The others are
  ///   counted.
  ///
  /// The corresponding libuv function is `uv_print_all_handles`.
  public func snapshot(limit: Int = 100) -> LoopSnapshot {
    requireOnLoop()
    return LoopInspection(self, limit: limit).snapshot()
  }

  /// Prints a snapshot of the loop to the standard error whenever the process receives a signal.
  ///
  /// ```swift
  /// try loop.printSnapshot(on: .user1)  // kill -USR1 PID shows what the loop waits for
  /// ```
  ///
  /// Without this line, `SIGUSR1` and `SIGQUIT` end the process. A loop whose callback doesn't return prints
  /// nothing.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch for.
  ///   - limit: How much to list; see ``snapshot(limit:)``.
  /// - Returns: The watcher of the signal. It doesn't keep the loop running, and needn't be kept. Close it to
  ///   print no more.
  /// - Throws: `invalidArgument` for a signal that can't be watched, and `loopClosed` after ``shutdown()``.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_print_all_handles`.
  @discardableResult
  public func printSnapshot(on signal: Signal, limit: Int = 100) throws(UVError) -> SignalWatcher {
    let watcher = try signals(signal)
    watcher.keepsLoopRunning = false
    watcher.start { [unowned watcher] result in
      // One text in one call, so that the lines of several loops stay apart.
      if case .success(_?) = result { printToStandardError("\(watcher.loop.snapshot(limit: limit))") }
    }
    return watcher
  }

  /// Counts the tasks and connections of the loop, some ten nanoseconds for each. On the loop's thread.
  package func census() -> LoopCensus {
    assertOnLoop()
    return LoopCensus(of: self)
  }

  // MARK: The thread pool

  /// How many requests of the loop the thread pool has, and for how long it has had the oldest.
  package var poolUse: (count: Int, longest: Duration) {
    var (count, oldest) = (0, UInt64.max)
    requests.forEach { request in
      guard request.isOnPool else { return }
      count += 1
      oldest = min(oldest, request.start)
    }
    let now = uv_hrtime() / 1_000_000
    return (count, .milliseconds(now > oldest ? now - oldest : 0))
  }

  /// How long the thread pool has had requests; nil unless the loop measures it.
  package var poolTimes: PoolTimes? { requests.poolTimes }
}
