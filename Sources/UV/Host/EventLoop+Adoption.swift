import CUV
import Synchronization

/// A loop inside a host that has a libuv loop already: a program in C, an editor, a runtime for another
/// language.
extension EventLoop {
  /// Makes an object for a libuv loop that belongs to a host. The host runs, stops and closes that loop.
  ///
  /// Everything works as on a loop of your own, in every style, except what only the host may do: ``run``,
  /// ``runCallbacks``, ``runOnce()`` and ``runNoWait()`` fail with `loopAdopted`, and ``stop()`` does
  /// nothing. The host's handles, requests and the loop's data aren't touched. Your requests keep the host's
  /// loop alive, as the host's own requests do. The object itself doesn't.
  ///
  /// ```swift
  /// let loop = try EventLoop(adopting: uv_default_loop())
  /// loop.spawn { … }
  /// ```
  ///
  /// You leave the host's loop with ``detach()``. Dropping the last reference on the loop's thread, while
  /// nothing is under way, does the same. libuv needs a turn of the loop to let go of handles. So the host
  /// must run the loop once more (`UV_RUN_NOWAIT` suffices) before it closes the loop. The example
  /// `InsideHost` is a program that does all this.
  ///
  /// Call this on the thread that runs the loop.
  ///
  /// - Parameter pointer: A `uv_loop_t` that has been initialized by the same libuv that this module is
  ///   linked with. It must outlive this object's use of it. The pointer is untyped so that a host need not
  ///   share a module for libuv's types.
  /// - Throws: `tooManyOpenFiles` or `outOfMemory` if the system has no descriptor or memory left. Nothing is
  ///   then left on the loop after its next turn. `foreignLibuv` if another libuv has made the loop; see
  ///   ``isOwnLibuv(_:)``.
  ///
  /// The corresponding libuv functions are `uv_prepare_init`, `uv_idle_init`, `uv_timer_init` and
  /// `uv_poll_init`.
  public convenience init(adopting pointer: UnsafeMutableRawPointer) throws(UVError) {
    guard EventLoop.isOwnLibuv(pointer) else { throw UVError(.foreignLibuv, operation: "adopt") }
    try self.init(raw: EventLoop.rawLoop(pointer), isAdopted: true)
  }

  /// Returns whether a loop was made by the libuv that this module calls.
  ///
  /// A process may have two: the host's own, linked into it, and the system's, which this module was linked
  /// with. The functions of one don't work on a loop of the other. Build this package so that it uses the
  /// host's libuv then, or link the host with the system's.
  ///
  /// - Parameter pointer: A `uv_loop_t` that has been initialized.
  /// - Returns: True for a loop of this module's libuv. It is true too if the system has no descriptor left
  ///   to find out with.
  public static func isOwnLibuv(_ pointer: UnsafeMutableRawPointer) -> Bool {
    guard let origin = LibuvOrigin.own else { return true }
    return cuv_loop_origin(rawLoop(pointer)) == origin
  }

  /// Leaves the host's loop. Pending requests end with `cancelled`, and open handles are closed. Leaving
  /// begins at once, even if you ignore the request, and goes on while the host runs its loop. From now on
  /// every operation on this loop fails with `loopClosed`. A task that is spawned meanwhile is cancelled from
  /// its start. Calling this function again does nothing more.
  ///
  /// On a loop of your own, this function stops the program with a message; use ``shutdown()`` there.
  ///
  /// - Returns: A request that succeeds when libuv has let go of the last handle. The host's loop is then as
  ///   it was before, and no code is isolated to this loop any more, not even what the request calls. The
  ///   request waits for work that has begun on the thread pool, for tasks that ignore their cancellation
  ///   (see ``detach(leavingTasksAfter:)``), and for what other threads hold, such as a remote resolver.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach() -> Request<Void> {
    startLeaving()
    return Request(of: self) { [self] in detach($0) }
  }

  /// Leaves the host's loop; see ``detach()``.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach(_ done: @escaping Completion<Void>) -> PendingRequest {
    startLeaving()
    guard isHeld else {
      queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
    let number = ending.leaving.waiters.add(done)
    return PendingRequest("detach") { [self] in
      guard let done = ending.leaving.waiters.take(number) else { return }
      queueMicrotask { done(.failure(UVError(.cancelled, operation: "detach"))) }
    }
  }

  func startLeaving() {
    require(isAdopted, "detach() of a loop that no host runs; use shutdown()")
    startDetaching()
  }
}

/// A run whose tasks wait for what isn't the loop's.
extension EventLoop {
  /// Notifies the values of the loop that it ends, before the run does, if its tasks wait for what they have.
  ///
  /// A task that awaits a future of SwiftNIO isn't woken by its cancellation. The future is answered when the
  /// loop ends, and the loop would wait for the task. So once all tasks have been seen to wait for something
  /// that isn't the loop's, and none has run for a while, what the values have ends first.
  ///
  /// - Parameter jobs: How many jobs had reached the loop when it was last looked at.
  func endLocalsInTime(since jobs: Int? = nil) {
    guard ties.locals.values.contains(where: { $0.observer != nil }) else { return }
    _ = sleepQuietly(for: .milliseconds(50)) { [weak self] result in
      guard let self, case .success = result else { return }
      let jobsNow = jobCount
      var isIdle = jobs == jobsNow
      tasks.forEach { if !$0.wait.isEmpty { isIdle = false } }
      if isIdle { return notifyLocals() }
      endLocalsInTime(since: jobsNow)
    }
  }
}

/// Which libuv this module calls.
enum LibuvOrigin {
  private static let known = Atomic<UInt>(0)

  /// Code of the libuv that this module calls, as each of its loops names it; nil if no loop can be made.
  static var own: UInt? {
    let origin = known.load(ordering: .relaxed)
    if origin != 0 { return origin }
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { loop.deallocate() }
    guard cuv_loop_init(loop) == 0 else { return nil }
    let found = UInt(cuv_loop_origin(loop))
    uv_loop_close(loop)
    known.store(found, ordering: .relaxed)
    return found
  }
}

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
    if isClosed { return .zero }
    // libuv counts from the loop's time, which may be old.
    uv_update_time(raw)
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
    timers.armWhileFiring()
    timers.quiet?.armWhileFiring()
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
