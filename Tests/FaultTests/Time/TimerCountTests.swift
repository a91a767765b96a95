import CTestHooks
import Testing
import UV
import UVTestSupport

/// What timers cost that never fire, counted: most of a server's timers are cancelled.
@Suite(.enabled(if: test_allocations_can_count() != 0)) struct TimerCountTests {
  /// The least number of allocations of several rounds: other threads of this process may count too.
  nonisolated(nonsending) private static func least(
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> UInt64 {
    var least = UInt64.max
    for _ in 0..<10 {
      test_allocations_count(1)
      let before = test_allocations()
      try await body()
      least = min(least, test_allocations() - before)
      test_allocations_count(0)
    }
    return least
  }

  @Test func `A sleep that is cancelled allocates no error of its own`() async throws {
    try await withLoop { loop in
      let allocations = try await Self.least {
        for _ in 0..<100 { loop.sleep(for: .untilCancelled) { _ in }.cancel() }
        try await loop.sleep(for: .zero).value
      }
      // In a build for debugging, two for each are the test's own closures.
      #expect(allocations < 250)
    }
  }

  @Test("A limit that isn't reached costs few allocations, and no timer that has to be answered")
  func limited() async throws {
    try await withLoop { loop in
      let request = Request<Int>(loop) { done in
        loop.queueMicrotask { done(.success(1)) }
        return PendingRequest()
      }
      let limited = request.timeout(after: .seconds(30))
      func count(_ request: Request<Int>) async throws -> UInt64 {
        try await Self.least {
          for _ in 0..<100 { request.start { _ in } }
          try await loop.sleep(for: .zero).value
        }
      }
      let without = try await count(request)
      let with = try await count(limited)
      // An object each, and in a build for debugging four closures that optimization removes.
      #expect(with < without + 550, "\(with) beside \(without)")
    }
  }
}
