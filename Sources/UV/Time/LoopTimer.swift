import CUV

/// libuv's own timer handle, which you can stop, start again and repeat. Use it in code that needs exactly
/// that.
///
/// To wait, use ``EventLoop/sleep(for:)``. To repeat, use ``EventLoop/ticks(every:)``.
///
/// The corresponding libuv type is `uv_timer_t`.
public final class LoopTimer: Handle {
  private var handler: (() -> Void)?
  /// The extra time that libuv was asked to wait before the first firing, in milliseconds.
  private var margin: UInt64 = 0

  private var timer: UnsafeMutablePointer<uv_timer_t> { block.raw.assumingMemoryBound(to: uv_timer_t.self) }

  /// Makes a timer, which isn't started.
  ///
  /// - Parameter loop: The loop that the timer belongs to.
  /// - Throws: `loopClosed` if the loop has been shut down.
  ///
  /// The corresponding libuv function is `uv_timer_init`.
  public init(_ loop: EventLoop) throws(UVError) {
    try super.init(loop: loop, size: MemoryLayout<uv_timer_t>.size, "timer_init") { raw in
      uv_timer_init(loop.raw, raw.assumingMemoryBound(to: uv_timer_t.self))
    }
  }

  /// Starts the timer, or starts it anew.
  ///
  /// - Parameters:
  ///   - delay: The time until it first fires, rounded up to a millisecond. Zero or less means the next turn.
  ///   - repeatInterval: The time between further firings. Zero, the default, means that it fires once. Drift
  ///     isn't corrected.
  ///   - handler: Called on the loop's thread each time that the timer fires.
  /// - Throws: `badDescriptor` if the timer is closed.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func start(
    after delay: Duration, repeating repeatInterval: Duration = .zero, _ handler: @escaping () -> Void
  ) throws(UVError) {
    try checkOpen("timer_start")
    // An old time would make it fire too early. A delay of zero would keep I/O from having its turn.
    uv_update_time(loop.raw)
    let due = max(delay.milliseconds, 1)
    // libuv's clock shows whole milliseconds, and the present one may be nearly over.
    margin = delay > .zero && due < .max ? 1 : 0
    try check(uv_timer_start(timer, timerFired, due + margin, repeatInterval.milliseconds), "timer_start")
    self.handler = handler
    keepAlive(.timer)
  }

  /// Stops the timer; it may be started again.
  ///
  /// The corresponding libuv function is `uv_timer_stop`.
  public func stop() {
    guard !isClosing else { return }
    uv_timer_stop(timer)
    handler = nil
    letGo(.timer)
  }

  /// Stops the timer and starts it with its repeat interval. If that interval is zero, this function does
  /// nothing.
  ///
  /// - Throws: `badDescriptor` if the timer is closed. `invalidArgument` if the timer has no handler to call:
  ///   it has never been started, has been stopped, or has fired and doesn't repeat.
  ///
  /// The corresponding libuv function is `uv_timer_again`.
  public func again() throws(UVError) {
    try checkOpen("timer_again")
    if handler == nil, repeatInterval > .zero { throw UVError(.invalidArgument, operation: "timer_again") }
    uv_update_time(loop.raw)
    try check(uv_timer_again(timer), "timer_again")
    if repeatInterval > .zero { margin = 0 }
    if isActive { keepAlive(.timer) }
  }

  /// The time between firings; zero if the timer fires once. A change takes effect from the next firing on.
  ///
  /// The corresponding libuv functions are `uv_timer_get_repeat` and `uv_timer_set_repeat`.
  public var repeatInterval: Duration {
    get { isClosing ? .zero : .milliseconds(uv_timer_get_repeat(timer)) }
    set { if !isClosing { uv_timer_set_repeat(timer, newValue.milliseconds) } }
  }

  /// The time until the timer fires next; zero if it isn't started.
  ///
  /// The corresponding libuv function is `uv_timer_get_due_in`.
  public var dueIn: Duration {
    if isClosing || !isActive { return .zero }
    let due = uv_timer_get_due_in(timer)
    return .milliseconds(due - min(margin, due))
  }

  override func didClose() {
    handler = nil
    super.didClose()
  }

  fileprivate func fire() {
    margin = 0
    handler?()
    guard !isClosing, !isActive else { return }
    handler = nil
    letGo(.timer)
  }
}

private func timerFired(_ handle: UnsafeMutablePointer<uv_timer_t>?) {
  let timer = owner(of: handle!, as: LoopTimer.self)
  let loop = timer.loop
  loop.callback { timer.fire() }
}
