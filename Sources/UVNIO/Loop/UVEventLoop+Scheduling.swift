#if NIO || NIOBootstraps || Everything
public import NIOCore
import Synchronization
import UV

extension UVEventLoop {
  /// Runs `task` at a time, or in the next turn if that time has passed.
  ///
  /// Tasks run in the order of their deadlines, by the nanosecond. Those with equal deadlines run in the
  /// order in which they were scheduled. The loop's clock has whole milliseconds, so a task may run up to a
  /// millisecond late.
  ///
  /// - Returns: A handle to cancel the task, with the future of its value. The future fails with
  ///   `EventLoopError.shutdown` if the loop ends first.
  ///
  /// Complexity: O(log *n*), where *n* is the number of tasks that wait. Cancelling is, too.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  @discardableResult
  public func scheduleTask<T>(
    deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T
  ) -> Scheduled<T> {
    let promise = makePromise(of: T.self)
    return schedule(deadline, promise, task)
  }

  /// Runs `task` after a time; see ``scheduleTask(deadline:_:)``.
  @discardableResult
  public func scheduleTask<T>(
    in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T
  ) -> Scheduled<T> {
    scheduleTask(deadline: .now() + delay, task)
  }

  /// Does what ``scheduleTask(deadline:_:)`` does, for NIO's isolated view of the loop.
  @discardableResult
  public func _scheduleTaskIsolatedUnsafeUnchecked<T>(
    deadline: NIODeadline, _ task: @escaping () throws -> T
  ) -> Scheduled<T> {
    let promise = makePromise(of: T.self)
    return schedule(deadline, promise, task)
  }

  /// Does what ``scheduleTask(in:_:)`` does, for NIO's isolated view of the loop.
  @discardableResult
  public func _scheduleTaskIsolatedUnsafeUnchecked<T>(
    in delay: TimeAmount, _ task: @escaping () throws -> T
  ) -> Scheduled<T> {
    _scheduleTaskIsolatedUnsafeUnchecked(deadline: .now() + delay, task)
  }

  private func schedule<T>(
    _ deadline: NIODeadline, _ promise: EventLoopPromise<T>, _ task: @escaping () throws -> T
  ) -> Scheduled<T> {
    let work = ScheduledWork(
      deadline, nextNumber(), run: { promise.complete(task) }, refuse: { promise.fail($0) })
    if !insert(work) { work.fail(.shutdown) }
    return Scheduled(promise: promise) { [self] in
      // From now on it can't run, whichever thread this is.
      if work.claim() { remove(work) { work.forget() } }
    }
  }

  /// Has the handler called at a time, unless the callback is cancelled; see ``scheduleTask(deadline:_:)``.
  ///
  /// - Throws: `EventLoopError.shutdown` if the loop has ended.
  @discardableResult
  public func scheduleCallback(
    at deadline: NIODeadline, handler: some (NIOScheduledCallbackHandler & Sendable)
  ) throws -> NIOScheduledCallback {
    let number = nextNumber()
    let work = ScheduledWork(
      deadline, number,
      run: { [self] in
        callbacks.withLock { $0[number] = nil }
        handler.handleScheduledCallback(eventLoop: self)
      },
      refuse: { [self] _ in
        callbacks.withLock { $0[number] = nil }
        handler.didCancelScheduledCallback(eventLoop: self)
      })
    if isOnThread, !isOpen { throw EventLoopError.shutdown }
    // Before it is on its way, so that it can be cancelled meanwhile.
    callbacks.withLock { $0[number] = work }
    guard insert(work) else {
      callbacks.withLock { $0[number] = nil }
      throw EventLoopError.shutdown
    }
    return NIOScheduledCallback(self, id: number)
  }

  /// Has the handler called after a time; see ``scheduleCallback(at:handler:)``.
  @discardableResult
  public func scheduleCallback(
    in amount: TimeAmount, handler: some (NIOScheduledCallbackHandler & Sendable)
  ) throws -> NIOScheduledCallback {
    try scheduleCallback(at: .now() + amount, handler: handler)
  }

  /// Cancels a callback of this loop, from any thread. If its handler hasn't been called by now, it won't be,
  /// and is notified of that on the loop's thread.
  public func cancelScheduledCallback(_ scheduledCallback: NIOScheduledCallback) {
    guard let number = scheduledCallback.customCallbackID else {
      preconditionFailure("a scheduled callback of another event loop: cancel it by its own cancel()")
    }
    guard let work = callbacks.withLock({ $0[number] }), work.claim() else { return }
    remove(work) { work.failClaimed(.cancelled) }
  }

  /// Adds work to the schedule. Returns false if the loop has ended; otherwise the work will run, or fail.
  private func insert(_ work: ScheduledWork) -> Bool {
    onLoop { if let schedule = $0 { schedule.insert(work) } else { work.fail(.shutdown) } }
  }

  /// Takes work that the caller has claimed out of the schedule, and then calls `done`.
  private func remove(_ work: ScheduledWork, _ done: @escaping @Sendable () -> Void) {
    let isOnItsWay = onLoop {
      $0?.remove(work)
      done()
    }
    if !isOnItsWay { loopExecutor.executeLate(done) }
  }

  /// Calls `body` on the loop's thread with the schedule, or with nil if the loop has ended. Returns whether
  /// there will be a call.
  private func onLoop(_ body: @escaping @Sendable (Schedule?) -> Void) -> Bool {
    if isOnThread {
      body(isOpen ? schedule : nil)
      return true
    }
    do {
      try loopExecutor.execute { [self] _ in body(isOpen ? schedule : nil) }
      return true
    } catch { return false }
  }
}
#endif
