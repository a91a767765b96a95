extension EventLoop {
  /// The loop's clock, for code that takes any `Clock`. It may be used from any task.
  public var clock: LoopClock { LoopClock(executor: executor) }

  /// A repeating timer.
  ///
  /// - Parameter interval: The time between ticks, a millisecond or more. A shorter interval stops the
  ///   program with a message. The first tick comes after one interval.
  /// - Returns: A source of ticks. Its timer runs only while somebody asks.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func ticks(every interval: Duration) -> Ticks { Ticks(loop: self, interval: interval) }

  /// Waits for a time.
  ///
  /// - Parameter duration: How long to wait at least, rounded up to a millisecond. Zero or less means until
  ///   the next turn of the loop. A second or more may count from the end of the callback that starts the
  ///   sleep. Sleeps that end in the same millisecond end in the order in which they were started.
  /// - Returns: A request that succeeds when the time has passed.
  ///
  /// Complexity: O(1) for starting, cancelling and firing, however many sleeps there are.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func sleep(for duration: Duration) -> Request<Void> { Request(sleepingFor: duration, on: self) }

  /// Waits for a time; see ``sleep(for:)``.
  ///
  /// - Parameters:
  ///   - duration: How long to wait at least, rounded up to a millisecond.
  ///   - done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel: `done` is then called with `cancelled`.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  @inlinable
  @discardableResult
  public func sleep(for duration: Duration, _ done: @escaping Completion<Void>) -> PendingRequest {
    startSleep(duration, done)
  }

  /// Does the same, and takes `done` over: a closure that the caller makes for it isn't retained and
  /// released.
  @usableFromInline
  func startSleep(_ duration: Duration, _ done: consuming @escaping Completion<Void>) -> PendingRequest {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return PendingRequest()
    }
    return timers.start(after: duration, done)
  }

  /// Waits for a date. `done` is called then or up to a millisecond later. A date that has passed means the
  /// next turn.
  @discardableResult
  package func sleep(
    until date: LoopClock.Instant, _ done: consuming @escaping Completion<Void>
  ) -> PendingRequest {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return PendingRequest()
    }
    return timers.start(at: date.nanoseconds, done)
  }

  /// Starts the timer of a limit. It is known by two numbers, and no slot is 0: there is no timer if the loop
  /// has been shut down.
  func startLimit(
    _ limit: Duration, _ done: consuming @escaping Completion<Void>
  ) -> (slot: UInt, generation: UInt) {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return (0, 0)
    }
    return timers.begin(after: limit, done)
  }

  /// Waits for a time as ``sleep(for:_:)`` does, a millisecond at least, but without keeping the loop
  /// running.
  package func sleepQuietly(for duration: Duration, _ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return PendingRequest()
    }
    return quietTimers.start(after: max(duration, .milliseconds(1)), done)
  }

  /// Waits for a date, but without keeping the loop running, and a
  /// millisecond at least.
  package func sleepQuietly(until date: LoopClock.Instant, _ done: @escaping Completion<Void>)
    -> PendingRequest
  {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return PendingRequest()
    }
    return quietTimers.start(at: date.nanoseconds, done)
  }

  private var quietTimers: TimerWheel {
    if let quiet = timers.quiet { return quiet }
    let quiet = TimerWheel(raw, microtasks, isAdopted: isAdopted, keepsLoopRunning: false)
    quiet.loop = self
    timers.quiet = quiet
    return quiet
  }
}
