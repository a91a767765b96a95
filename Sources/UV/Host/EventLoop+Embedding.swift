import CUV

/// A loop inside another event loop, which waits for this one's descriptor among its own.
///
/// ```swift
/// while true {
///   let timeout = loop.backendTimeout
///   poll([ours, loop.backendFD], timeout)        // the other loop's way to wait
///   if try !loop.runNoWait() { break }
/// }
/// ```
///
/// The descriptor alone does not suffice: timers do not make it readable, and new descriptors are added to it only
/// by a run. So: ask ``backendTimeout``, wait no longer than that for ``backendFD`` to become readable, run without
/// waiting, and begin again. Before the first wait, call ``runNoWait()`` once.
extension EventLoop {
  /// The descriptor that becomes readable when the system has an event for the loop; -1 once the loop is shut
  /// down.
  ///
  /// The corresponding libuv function is `uv_backend_fd`.
  public var backendFD: Int32 { isClosed ? -1 : uv_backend_fd(raw) }

  /// How long to wait for ``backendFD`` at most, from now on. It is nil if the loop has nothing to do at a
  /// certain time.
  ///
  /// The corresponding libuv function is `uv_backend_timeout`.
  public var backendTimeout: Duration? {
    if isClosed || internals.hasUnflushed { return .zero }
    // libuv counts from the loop's time, which may be old.
    uv_update_time(raw)
    let milliseconds = uv_backend_timeout(raw)
    return milliseconds < 0 ? nil : .milliseconds(Int64(milliseconds))
  }

  /// Runs one turn of the loop. If nothing has happened yet, it waits until at least one callback has been
  /// called.
  ///
  /// - Returns: Whether the loop has work left, so that you should run it again. It is false too after
  ///   ``stop()``, once the tasks have ended.
  /// - Throws: `loopRunning` inside a running loop, `loopClosed`, `loopAdopted`.
  ///
  /// The corresponding libuv function is `uv_run` with `UV_RUN_ONCE`.
  @discardableResult
  public func runOnce() throws(UVError) -> Bool { try runTurn(UV_RUN_ONCE) }

  /// Runs one turn of the loop without waiting: it handles what has happened by now.
  ///
  /// - Returns: Whether the loop has work left, so that you should run it again. It is false too after
  ///   ``stop()``, once the tasks have ended.
  /// - Throws: `loopRunning` inside a running loop, `loopClosed`, `loopAdopted`.
  ///
  /// The corresponding libuv function is `uv_run` with `UV_RUN_NOWAIT`.
  @discardableResult
  public func runNoWait() throws(UVError) -> Bool { try runTurn(UV_RUN_NOWAIT) }

  private func runTurn(_ mode: uv_run_mode) throws(UVError) -> Bool {
    try checkRunnable(throwing: UVError.self)
    turn {
      uv_run(raw, mode)
      deliver(executor.receive())
    }
    let goesOn = isAlive && !hasStopped
    if !goesOn { isStopRequested = false }
    return goesOn
  }
}
