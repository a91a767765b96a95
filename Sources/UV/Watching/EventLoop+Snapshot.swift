import CUV

extension EventLoop {
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
}

extension EventLoop {
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
}
