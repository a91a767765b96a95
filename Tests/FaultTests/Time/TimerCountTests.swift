import Testing
import UV
import UVTestSupport

/// What timers cost that never fire, counted: most of a server's timers are cancelled.
@Suite(.enabled(if: Hooks.canCountAllocations)) struct TimerCountTests {
  @Test func `A sleep that is cancelled allocates no error of its own`() async throws {
    try await withLoop { loop in
      let allocations = try await Hooks.leastAllocations {
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
      func count(_ request: Request<Int>) async throws -> Int {
        try await Hooks.leastAllocations {
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
