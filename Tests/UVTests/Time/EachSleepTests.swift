import Testing
import UV
import UVTestSupport

/// What the library waits for by itself, and what programs do: for a time or a date, with or without keeping the loop
/// running.
@Suite struct EachSleepTests {
  enum Kind: CaseIterable { case time, date, quietTime, quietDate }

  /// From far in the past to soon.
  static let lengths: [Duration] = [
    .seconds(-1000), .nanoseconds(-1), .zero, .microseconds(999), .milliseconds(4),
  ]

  @Test(
    "Each kind of sleep ends once, later and not early, also for a date that has passed",
    arguments: Kind.allCases, [false, true])
  func ends(kind: Kind, isBusy: Bool) async throws {
    try await withLoop { loop in
      for length in Self.lengths {
        let log = Log<Bool>()
        // The loop's own time is old by then.
        if isBusy { loop.spin(for: .milliseconds(3)) }
        let due = loop.clock.now.advanced(by: length)
        let done: Completion<Void> = { result in
          if case .success = result { log.append(loop.clock.now >= due) }
        }
        switch kind {
        case .time: loop.sleep(for: length, done)
        case .date: loop.sleep(until: due, done)
        case .quietTime: _ = loop.sleepQuietly(for: length, done)
        case .quietDate: _ = loop.sleepQuietly(until: due, done)
        }
        #expect(log.values == [])
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [true], "\(length)")
      }
    }
  }

  @Test(
    "A timer that is due ends all the same where others of its kind are far away, or are cancelled",
    arguments: Kind.allCases)
  func amongOthers(kind: Kind) async throws {
    try await withLoop { loop in
      func start(_ length: Duration, _ done: @escaping Completion<Void>) -> PendingRequest {
        let date = loop.clock.now.advanced(by: length)
        return switch kind {
        case .time: loop.sleep(for: length, done)
        case .date: loop.sleep(until: date, done)
        case .quietTime: loop.sleepQuietly(for: length, done)
        case .quietDate: loop.sleepQuietly(until: date, done)
        }
      }
      let far = (0..<10).map { _ in start(.seconds(1000)) { _ in } }
      for length in Self.lengths {
        var (ended, wasCancelled) = (false, false)
        let other = start(length) { if case .failure = $0 { wasCancelled = true } }
        _ = start(length) { _ in ended = true }
        other.cancel()
        try await loop.until { ended && wasCancelled }
      }
      for pending in far { pending.cancel() }
    }
  }
}

extension EventLoop {
  /// Computes for a while.
  fileprivate func spin(for duration: Duration) {
    let end = clock.now.advanced(by: duration)
    while clock.now < end {}
  }
}
