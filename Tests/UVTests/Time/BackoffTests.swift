import Testing
import UV
import UVTestSupport

/// How long each rule waits, counted in what is written of it.
@Suite struct BackoffTests {
  private func pauses(_ backoff: Backoff, _ count: Int) -> [Duration] {
    (1...count).map { backoff.duration(afterFailures: $0) }
  }

  @Test
  func `A wait that grows is twice as long each time, up to a minute, unless the program says otherwise`() {
    let usual = Backoff.exponential(from: .seconds(1))
    #expect(pauses(usual, 8) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(usual.duration(afterFailures: .max) == .seconds(60))
    let limited = Backoff.exponential(from: .milliseconds(100), upTo: .seconds(1))
    #expect(pauses(limited, 6) == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
    #expect(pauses(.exponential(from: .seconds(1), by: 3), 5) == [1, 3, 9, 27, 60].map { .seconds($0) })
    #expect(pauses(.exponential(from: .seconds(90)), 2) == [.seconds(60), .seconds(60)])
    #expect(pauses(.exponential(from: .seconds(1), by: 1), 3) == [.seconds(1), .seconds(1), .seconds(1)])
    #expect(pauses(.constant(.seconds(7)), 2) == [.seconds(7), .seconds(7)])
    #expect(pauses(.none, 2) == [.zero, .zero])
  }

  @Test
  func `A policy that says nothing tries three times, after 100 ms and 200 ms shortened by half at most`() {
    let policy = RetryPolicy()
    #expect(policy.attempts == 3)
    let error = UVError(.connectionRefused, operation: "test")
    for failures in 1...2 {
      let longest = Duration.milliseconds(100 * failures)
      for _ in 0..<100 {
        guard let pause = policy.pause(after: error, failures: failures) else {
          Issue.record("no attempt after \(failures)")
          return
        }
        #expect(longest / 2 <= pause && pause <= longest)
      }
    }
    #expect(policy.pause(after: error, failures: 3) == nil)
  }

  @Test func `A sleep is due at most a millisecond after its length`() async throws {
    try await withLoop { loop in
      // Longer ones have their date later.
      for length in [1, 7, 100, 500, 999] {
        for _ in 0..<50 {
          let pending = loop.sleep(for: .milliseconds(length)) { _ in }
          // It has begun before this look. So however long that takes, what is left can't be more.
          for timer in loop.snapshot().timers.entries {
            #expect(timer.dueIn <= .milliseconds(length + 1), "a sleep of \(length) ms")
          }
          pending.cancel()
          try await loop.sleep(for: .zero).value
        }
      }
    }
  }
}
