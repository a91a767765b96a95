import Testing
import UV
import UVTestSupport

@Suite struct EventLoopTests {
  @Test func returnsTheBodysValue() async throws {
    let value = try await withLoop { loop in
      try await loop.sleep(for: .milliseconds(3)).value
      return 42
    }
    #expect(value == 42)
  }

  @Test func spawnSharesState() async throws {
    let total = try await withLoop { loop in
      var total = 0
      for i in 1...10 {
        loop.spawn {
          try? await loop.sleep(for: .milliseconds(i % 3)).value
          total += i
        }
      }
      while total < 55 { try await loop.sleep(for: .zero).value }
      return total
    }
    #expect(total == 55)
  }

  @Test func theValueOfATaskThatCannotFailIsAwaited() async throws {
    try await withLoop { loop in
      let ended = loop.spawn { 5 }
      let waiting = loop.spawn { () async -> String in
        try? await loop.sleep(for: .milliseconds(1)).value
        return "x"
      }
      try await loop.sleep(for: .zero).value
      #expect(await ended.value == 5)
      #expect(await waiting.value == "x")
      let nothing = loop.spawn {}
      await nothing.value
    }
  }

  @Test func callbacksCompleteInOrderOfTheirDeadlines() async throws {
    let log = try await withCallbackLoop { loop in
      let log = Log<Int>()
      for (i, ms) in [5, 1, 3, 1, 0, 100, 64, 63, 65].enumerated() {
        loop.sleep(for: .milliseconds(ms)) { _ in log.append(i) }
      }
      return log
    }
    #expect(log.values == [4, 1, 3, 2, 0, 7, 6, 8, 5])
  }

  @Test func aClosedLoopSaysSo() async throws {
    let executor = try await withLoop { $0.executor }
    #expect(throws: UVError(.loopClosed, operation: "execute")) { try executor.execute { _ in } }
  }

  @Test func cancellingATaskEndsItsSleep() async throws {
    try await withLoop { loop in
      let task = loop.spawn { () async throws(UVError) in try await loop.sleep(for: .untilCancelled).value }
      try await loop.sleep(for: .zero).value
      task.cancel()
      do throws(UVError) {
        try await task.value
        Issue.record("not cancelled")
      } catch { #expect(error.code == .cancelled) }
    }
  }
}
