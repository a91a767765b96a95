import Testing
import UV
import UVTestSupport

/// libuv's own timer: what it says and does after each of its functions.
@Suite struct LoopTimerTableTests {
  private func state(_ timer: LoopTimer) -> [String] {
    [
      timer.isActive ? "active" : "idle", timer.dueIn > .zero ? "due" : "not due",
      "every \(Int((timer.repeatInterval / .milliseconds(1)).rounded()))",
    ]
  }

  @Test func `A timer is active and due from its start until it has fired, is stopped or closed`()
    async throws
  {
    try await withLoop { loop in
      let timer = try LoopTimer(loop)
      #expect(state(timer) == ["idle", "not due", "every 0"])
      timer.stop()
      for repeating in [Duration.zero, .seconds(7)] {
        try timer.start(after: .seconds(1000), repeating: repeating) {}
        let every = repeating == .zero ? "every 0" : "every 7000"
        #expect(state(timer) == ["active", "due", every])
        #expect(.seconds(999) < timer.dueIn && timer.dueIn <= .seconds(1000))
        timer.stop()
        timer.stop()
        #expect(state(timer) == ["idle", "not due", every])
      }
      // Anew, with another time and another handler.
      var fired: [Int] = []
      for number in 0..<3 { try timer.start(after: .milliseconds(1 + number)) { fired.append(number) } }
      try await loop.until { !fired.isEmpty }
      try await loop.sleep(for: .milliseconds(5)).value
      #expect(fired == [2] && state(timer) == ["idle", "not due", "every 0"])
      try timer.start(after: .seconds(1000)) {}
      timer.close()
      #expect(state(timer) == ["idle", "not due", "every 0"])
      timer.repeatInterval = .seconds(1)
      #expect(timer.repeatInterval == .zero)
      await expectError(.badDescriptor, of: try timer.start(after: .zero) {})
      await expectError(.badDescriptor, of: try timer.again())
    }
  }

  @Test(arguments: [0, 1, 3])
  func `A timer fires once after its delay, and then in its interval until its handler stops it`(
    interval: Int
  ) async throws {
    try await withLoop { loop in
      let timer = try LoopTimer(loop)
      var dates: [LoopClock.Instant] = []
      let start = loop.clock.now
      try timer.start(after: .milliseconds(6), repeating: .milliseconds(interval)) {
        dates.append(loop.clock.now)
        if dates.count == 4 { timer.stop() }
      }
      try await loop.until { dates.count == (interval == 0 ? 1 : 4) }
      try await loop.sleep(for: .milliseconds(3 * interval + 5)).value
      #expect(dates.count == (interval == 0 ? 1 : 4) && !timer.isActive)
      #expect(start.duration(to: dates[0]) >= .milliseconds(6))
      #expect(start.duration(to: dates.last!) >= .milliseconds(6 + interval * (dates.count - 1) - 1))
      timer.close()
    }
  }

  @Test func `Once again means with the interval, from now on; without one it changes nothing`() async throws
  {
    try await withLoop { loop in
      let timer = try LoopTimer(loop)
      var count = 0
      await expectError(.invalidArgument, of: try timer.again())
      try timer.start(after: .seconds(1000)) { count += 1 }
      try timer.again()
      #expect(timer.isActive && timer.dueIn > .seconds(999))
      timer.repeatInterval = .seconds(10)
      try timer.again()
      #expect(.seconds(9) < timer.dueIn && timer.dueIn <= .seconds(10))
      timer.repeatInterval = .milliseconds(2)
      // From the next firing on.
      #expect(timer.dueIn > .seconds(9))
      try timer.again()
      try await loop.until { count >= 3 }
      timer.stop()
      let stopped = count
      await expectError(.invalidArgument, of: try timer.again())
      try await loop.sleep(for: .milliseconds(6)).value
      #expect(count == stopped && timer.repeatInterval == .milliseconds(2))
      timer.close()
    }
  }

  @Test(arguments: [true, false])
  func `A handler may stop, start or close its own timer`(isClosed: Bool) async throws {
    try await withLoop { loop in
      let timer = try LoopTimer(loop)
      var log: [String] = []
      try timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) {
        log.append("first")
        timer.stop()
        try? timer.start(after: .milliseconds(1)) {
          log.append("second")
          if isClosed { timer.close() } else { timer.stop() }
          log.append(timer.isActive ? "active" : "idle")
        }
      }
      try await loop.until { log.count == 3 }
      try await loop.sleep(for: .milliseconds(5)).value
      #expect(log == ["first", "second", "idle"] && timer.isClosing == isClosed)
      timer.close()
    }
  }

  @Test func `Delays of nothing and less fire in the next turn, and very long ones never`() async throws {
    try await withLoop { loop in
      for delay in [Duration.zero, .nanoseconds(-1), .seconds(Int64.min)] {
        let timer = try LoopTimer(loop)
        var hasFired = false
        try timer.start(after: delay) { hasFired = true }
        #expect(!hasFired && timer.isActive)
        try await loop.until { hasFired }
        timer.close()
      }
      for delay in [Duration.seconds(1 << 40), .seconds(Int64.max)] {
        let timer = try LoopTimer(loop)
        try timer.start(after: delay, repeating: delay) { Issue.record("fired") }
        for _ in 0..<3 { try await loop.sleep(for: .zero).value }
        #expect(timer.dueIn > .seconds(1 << 39))
        timer.close()
      }
    }
  }
}
