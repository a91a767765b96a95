import Testing
import UV
import UVTestSupport

/// Time: rules 42, 43 and 48.
@Suite struct TimeRuleTests {
  @Test(.rule(42)) func `A sleep or timer that is started late in a turn is not early`() async throws {
    try await withLoop { loop in
      // The loop's own time is as old as this callback by now.
      let busyUntil = loop.clock.now.advanced(by: .milliseconds(30))
      while loop.clock.now < busyUntil {}
      #expect(loop.now.duration(to: loop.clock.now) >= .milliseconds(29))
      let start = loop.clock.now
      let timer = try LoopTimer(loop)
      var fired: LoopClock.Instant?
      try timer.start(after: .milliseconds(10)) { fired = loop.clock.now }
      try await loop.sleep(for: .milliseconds(10)).value
      #expect(start.duration(to: loop.clock.now) >= .milliseconds(10))
      try await loop.until { fired != nil }
      #expect(start.duration(to: fired!) >= .milliseconds(10))
      timer.close()
    }
  }

  @Test(.rule(42)) func `A timer that goes on late in a turn is not early`() async throws {
    try await withLoop { loop in
      let timer = try LoopTimer(loop)
      var fired: LoopClock.Instant?
      try timer.start(after: .seconds(1000), repeating: .milliseconds(10)) { fired = fired ?? loop.clock.now }
      // The loop's own time is as old as this callback by now.
      let busyUntil = loop.clock.now.advanced(by: .milliseconds(30))
      while loop.clock.now < busyUntil {}
      let start = loop.clock.now
      try timer.again()
      try await loop.until { fired != nil }
      // libuv's clock shows whole milliseconds, and the present one may be nearly over.
      #expect(start.duration(to: fired!) >= .milliseconds(9))
      timer.close()
    }
  }

  @Test(.rule(43)) func `Equal deadlines fire in the order of starting`() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let timers = try (0..<20).map { _ in try LoopTimer(loop) }
      // Their time is the loop's: started in one go, they share it, or the later ones have a later one.
      for (index, timer) in timers.enumerated() {
        try timer.start(after: .milliseconds(5)) {
          log.append(index)
          timer.close()
        }
      }
    }
    #expect(log.values == Array(0..<20))
  }

  @Test("A timer cannot go on before it was started, and goes on without an interval as it was", .rule(43))
  func timersThatGoOn() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let timer = try LoopTimer(loop)
      #expect(throws: UVError(.invalidArgument, operation: "timer_again")) { try timer.again() }
      try timer.start(after: .milliseconds(1)) {
        log.append(1)
        timer.close()
      }
      try timer.again()
      #expect(timer.isActive)
      #expect(timer.repeatInterval == .zero)
      // Far beyond what the system can wait for in one go.
      let distant = try LoopTimer(loop)
      try distant.start(after: .seconds(Int64.max / 2)) { log.append(2) }
      #expect(distant.dueIn > .seconds(1_000_000_000))
      distant.close()
      #expect(throws: UVError(.badDescriptor, operation: "timer_start")) {
        try distant.start(after: .zero) {}
      }
    }
    #expect(log.values == [1])
  }

  @Test(.rule(48)) func `A loop that has nothing to do sleeps`() async throws {
    try await withLoop { loop in
      // Everything that makes the loop come round again without waiting, once.
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      loop.queueMicrotask {}
      for _ in 0..<10_000 { loop.queueMicrotask {} }
      try await loop.sleep(for: .zero).value
      #expect(try await loop.turns(in: .milliseconds(60)) < 10)
    }
  }
}
