import UV

/// A stream of ticks of a timer that can be stopped and started.
///
/// Create the timer on a loop, and keep it. It keeps the loop running while it ticks. Releasing it ends the
/// stream as completed.
///
/// RxStream's `Timer`.
public final class StreamTimer: Hot<Void, Never> {
  private let loop: EventLoop
  private var pending: PendingRequest?
  private var run = 0

  /// The time between two ticks, to the millisecond above; a new one counts from the next tick.
  public var interval: Duration

  /// Creates a timer that does not run yet, on the current event loop; outside one this stops the program
  /// with a message.
  public init(interval: Duration) {
    loop = .needed(for: "StreamTimer")
    self.interval = interval
    super.init()
  }

  deinit {
    if isActive {
      pending?.cancel()
      ending()()
    }
  }

  /// Whether the timer runs.
  public var isTimerActive: Bool { pending != nil }

  /// Starts the timer, if it does not run.
  ///
  /// - Parameter delayFirst: Whether the first tick comes after an interval, and not at once.
  @discardableResult
  public func start(delayFirst: Bool = true) -> Self {
    guard isActive, pending == nil else { return self }
    wait()
    if !delayFirst { receive(.next(())) }
    return self
  }

  /// Stops the timer; the stream goes on.
  @discardableResult
  public func stop() -> Self {
    pending?.cancel()
    pending = nil
    run += 1
    return self
  }

  /// Starts the timer anew.
  ///
  /// - Parameter interval: The time between two ticks; without it the same as before.
  @discardableResult
  public func restart(withInterval interval: Duration? = nil) -> Self {
    stop()
    if let interval { self.interval = interval }
    return start()
  }

  /// Stops the timer and ends the stream.
  public func terminate(withReason reason: Termination<Never> = .completed) {
    receive(.terminate(reason: reason))
  }

  override func didTerminate() { stop() }

  private func wait() {
    let run = run
    pending = loop.sleep(for: interval) { [weak self] result in
      guard case .success = result, let self, self.run == run else { return }
      wait()
      receive(.next(()))
    }
  }
}
