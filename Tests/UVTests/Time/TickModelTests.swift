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

  /// A reader that changes, in its ticks, how it reads its source.
  private final class Reader {
    let loop: EventLoop
    let ticks: Ticks
    let draws: Draws
    let begin: LoopClock.Instant
    let interval = Duration.milliseconds(1)
    var (hasHandler, asked, last, count) = (false, 0, -1, 0)
    var log: [String] = []

    init(_ loop: EventLoop, _ draws: Draws) {
      (self.loop, self.draws, begin) = (loop, draws, loop.clock.now)
      ticks = loop.ticks(every: interval)
    }

    func start() {
      hasHandler = true
      ticks.start { [self] in note($0) }
    }

    func stop() {
      hasHandler = false
      ticks.stop()
    }

    func ask() {
      asked += 1
      ticks.next { [self] in
        asked -= 1
        note($0)
      }
    }

    func note(_ result: Result<Tick?, UVError>) {
      guard case .success(let tick?) = result else { return }
      count += 1
      #expect(tick.index == last + 1 + tick.missed && tick.missed >= 0, "\(log)")
      #expect(loop.clock.now >= begin.advanced(by: interval * (tick.index + 1)), "\(log)")
      last = tick.index
      if count > 30 { return hasHandler ? stop() : () }
      let step = draws.draw(6)
      log.append(hasHandler ? "\(step)" : "\(step) of \(asked)")
      if hasHandler { changeHandler(step) } else if asked == 0 { goOn(step) }
      loop.queueMicrotask { [self] in
        loop.queueMicrotask { [self] in
          #expect(loop.statistics.timers == (hasHandler || asked > 0 ? 1 : 0), "\(log)")
        }
      }
    }

    private func changeHandler(_ step: Int) {
      if step > 0 { stop() }
      switch step {
      case 1: start()
      case 2:
        start()
        stop()
        start()
      case 3: for _ in 0...draws.draw(3) { ask() }
      case 4: loop.queueMicrotask { [self] in start() }
      case 5: goOn(draws.draw(6))
      default: break
      }
    }

    /// Reads on after all requests have been answered.
    private func goOn(_ step: Int) {
      switch step {
      case 0: start()
      case 1:
        ask()
        ticks.next { #expect($0.error?.code == .cancelled) }.cancel()
      case 2: loop.queueMicrotask { [self] in ask() }
      default: for _ in 0...draws.draw(3) { ask() }
      }
    }
  }

  @Test(
    "However a reader stops and starts in its ticks, one timer runs, and no tick comes before its time",
    arguments: 1...8)
  func restarted(seed: UInt64) async throws {
    try await withCallbackLoop { loop in
      let reader = Reader(loop, Draws(seed))
      reader.start()
    }
  }
}
