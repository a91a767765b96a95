import CUV

/// A loop inside another event loop, which waits for this loop's descriptor among its own.
///
/// ```swift
/// while true {
///   let timeout = loop.backendTimeout
///   poll([ours, loop.backendFD], timeout)        // the other loop's way to wait
///   if try !loop.runNoWait() { break }
/// }
/// ```
///
/// The descriptor alone doesn't suffice. Timers don't make it readable, and only a run adds new descriptors
/// to it. So call ``runNoWait()`` once at the beginning. Then repeat: ask ``backendTimeout``, wait until
/// ``backendFD`` becomes readable, but no longer than the timeout, and call ``runNoWait()``.
extension EventLoop {
  /// The descriptor that becomes readable when the system has an event for the loop; -1 once the loop is shut
  /// down.
  ///
  /// The corresponding libuv function is `uv_backend_fd`.
  public var backendFD: Int32 { isClosed ? -1 : uv_backend_fd(raw) }

  /// How long to wait for ``backendFD`` at most, from now on. It is nil if the loop has nothing to do at a
  /// certain time, and zero after a shutdown.
  ///
  /// The corresponding libuv function is `uv_backend_timeout`.
  public var backendTimeout: Duration? {
    if isClosed || internals.hasUnflushed { return .zero }
    // libuv counts from the loop's time, which may be old.
    uv_update_time(raw)
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
    let milliseconds = internals.timeToWait(on: raw)
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
      if mode == UV_RUN_NOWAIT { internals.runWithoutWaiting(raw) } else { uv_run(raw, mode) }
      receiveForTurn()
    }
    let goesOn = isAlive && !hasStopped
    if !goesOn { isStopRequested = false }
    return goesOn
  }
}
