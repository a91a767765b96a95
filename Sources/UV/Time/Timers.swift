extension EventLoop {
  /// Waits.
  ///
  /// - Parameter duration: How long at least, to the millisecond above; zero or less means until the next turn
  ///   of the loop. Sleeps that end in the same millisecond do so in the order in which they were started.
  ///
  /// Starting, cancelling and firing take constant time, whatever the number of sleeps.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func sleep(for duration: Duration) -> Request<Void> {
    Request(self) { [self] in sleep(for: duration, $0) }
  }

  /// Calls `done` once `duration` has passed; see ``sleep(for:)``.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  @discardableResult
  public func sleep(for duration: Duration, _ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosed {
      complete(done, .sleep, .loopClosed)
      return PendingRequest()
    }
    return timers.start(after: duration, done)
  }
}
