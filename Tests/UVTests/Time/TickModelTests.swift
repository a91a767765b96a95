import Testing
import UV
import UVTestSupport

/// Ticks beside the clock: which of them a reader gets, and how many it has missed.
@Suite struct TickModelTests {
  private func spin(_ loop: EventLoop, until end: LoopClock.Instant) { while loop.clock.now < end {} }

  @Test func `A tick has the number of the last that has come due, and counts those since the one before`()
    async throws
  {
    try await withLoop { loop in
      let interval = Duration.milliseconds(4)
      let before = loop.clock.now
      let ticks = loop.ticks(every: interval)
      let after = loop.clock.now
      var last = -1
      for pause in [0, 0, 10, 1, 25, 0, 3, 9] {
        spin(loop, until: loop.clock.now.advanced(by: .milliseconds(pause)))
        let asked = loop.clock.now
        let tick = try #require(try await ticks.next().value)
        let now = loop.clock.now
        #expect(tick.index == last + 1 + tick.missed && tick.missed >= 0)
        // Its multiple has passed, and those that had passed when it was asked for are counted.
        #expect(now >= before.advanced(by: interval * (tick.index + 1)))
        #expect(Double(tick.index + 1) >= (after.duration(to: asked) / interval).rounded(.down))
        last = tick.index
      }
    }
  }

  @Test(arguments: [false, true])
  func `Ticks that nobody asks for run no timer, and the next reader goes on with the count`(isHandler: Bool)
    async throws
  {
    try await withLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(2))
      #expect(loop.statistics.timers == 0)
      var seen: [Tick] = []
      for round in 1...3 {
        let count = seen.count
        if isHandler {
          ticks.start { result in
            if case .success(let tick?) = result { seen.append(tick) }
            if seen.count >= count + 2 { ticks.stop() }
          }
        } else {
          for _ in 0..<2 { ticks.next { if case .success(let tick?) = $0 { seen.append(tick) } } }
        }
        #expect(loop.statistics.timers == 1)
        try await loop.until { seen.count == 2 * round }
        try await loop.settle()
        #expect(loop.statistics.timers == 0 && seen.count == 2 * round)
        try await loop.sleep(for: .milliseconds(7)).value
      }
      var next = 0
      for tick in seen {
        #expect(tick.index == next + tick.missed)
        next = tick.index + 1
      }
      #expect(seen[2].missed >= 2 && seen[4].missed >= 2)
    }
  }

  @Test func `A reader that leaves takes no tick with it, and the loop's end cancels the others`()
    async throws
  {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let ticks = loop.ticks(every: .milliseconds(1))
      ticks.next { log.append("first \($0.error?.name ?? "tick")") }.cancel()
      ticks.next { log.append("second \($0.error?.name ?? "tick")") }
      loop.runCallbacks { _ in }
      ticks.next { log.append("third \($0.error?.name ?? "tick")") }
      loop.shutdown()
      ticks.next { log.append("late \($0.error?.name ?? "tick")") }
    }
    #expect(log.values == ["first ECANCELED", "second tick", "third ECANCELED", "late ECANCELED"])
  }
}
