import UV

/// Lets so many in at a time.
final class Gate {
  private let loop: EventLoop
  private let limit: Int
  private var count = 0
  private var waiter: Completion<Void>?

  init(_ loop: EventLoop, limit: Int) {
    self.loop = loop
    self.limit = limit
  }

  /// Counts one more, and ends when there is room for the next. One caller at a time.
  func enter() -> Request<Void> {
    Request(loop) { done in
      self.count += 1
      if self.count < self.limit {
        self.loop.queueMicrotask { done(.success(())) }
      } else {
        self.waiter = done
      }
      return PendingRequest {
        guard let done = self.waiter else { return }
        self.waiter = nil
        self.loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "enter"))) }
      }
    }
  }

  /// Counts one less.
  func leave() {
    count -= 1
    guard let done = waiter else { return }
    waiter = nil
    loop.queueMicrotask { done(.success(())) }
  }
}

/// When a connection was last active, in whatever direction.
///
/// A time limit for each read would start and cancel a timer each time. This notes the time, and wakes up when it may be up.
final class Activity {
  private let loop: EventLoop
  private var last: LoopClock.Instant

  init(_ loop: EventLoop) {
    self.loop = loop
    last = loop.now
  }

  func note() { last = loop.now }

  /// Waits until nothing has been noted for so long, and then fails.
  func end(after limit: Duration) async throws(UVError) -> Never {
    while true {
      let rest = limit - last.duration(to: loop.now)
      if rest <= .zero { throw UVError(.timedOut, operation: "proxy", subject: "silent for \(limit)") }
      try await loop.sleep(for: rest).value
    }
  }
}
