import Testing
import UV
import UVTestSupport

/// A snapshot of a task that sleeps.
@Suite struct SleepingTaskTests {
  @Test(arguments: [0.5, 1, 100, 1000])
  func `A snapshot knows how long a task still sleeps, also in the callback in which it has begun to`(
    seconds: Double
  )
    async throws
  {
    let log = Log<Duration?>()
    try await withCallbackLoop { loop in
      let task = loop.spawn { try? await loop.sleep(for: .seconds(seconds)).value }
      // It begins in one of the microtasks of this callback.
      func look(_ more: Int) {
        if let wait = loop.snapshot().tasks.entries.first?.wait { log.append(wait.remaining) }
        if more > 0 { loop.queueMicrotask { look(more - 1) } } else { task.cancel() }
      }
      look(10)
    }
    #expect(!log.values.isEmpty)
    for remaining in log.values {
      let remaining = try #require(remaining)
      #expect(remaining <= .seconds(seconds + 10))
    }
  }
}
