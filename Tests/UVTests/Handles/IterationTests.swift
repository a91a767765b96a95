import Testing
import UV
import UVTestSupport

/// What belongs to the loop itself: its iterations, options, time and handles.
@Suite struct IterationTests {
  @Test(arguments: IterationPhase.allCases)
  func eachPhaseIsTold(phase: IterationPhase) async throws {
    try await withLoop { loop in
      let watcher = try loop.iterations(phase)
      #expect(watcher.phase == phase)
      #expect(!watcher.isActive)
      // To wait for a prepare or check does not make the loop go round. One sleep might: if it has ended when its turn
      // begins, the turn waits without an end before its check.
      let ticks = loop.ticks(every: .milliseconds(1))
      ticks.start { _ in }
      #expect(try await watcher.next().value == phase)
      var count = 0
      for try await _ in watcher {
        count += 1
        if count == 3 { break }
      }
      ticks.stop()
      try await loop.sleep(for: .zero).value
      #expect(!watcher.isActive)
      watcher.close()
      #expect(try await watcher.next().value == nil)
    }
  }

  @Test func phasesComeInOrder() async throws {
    let log = Log<IterationPhase>()
    try await withCallbackLoop { loop in
      let watchers = try IterationPhase.allCases.map { phase throws(UVError) in
        try loop.iterations(phase)
      }
      for watcher in watchers {
        watcher.start { result in
          if case .success(let phase?) = result { log.append(phase) }
          if log.values.count == 9 { for watcher in watchers { watcher.close() } }
        }
      }
    }
    let values = log.values.prefix(9)
    // Each iteration has them in this order, whichever came first.
    for (phase, next) in zip(values, values.dropFirst()) {
      switch phase {
      case .idle: #expect(next == .prepare)
      case .prepare: #expect(next == .check)
      case .check: #expect(next == .idle)
      }
    }
  }

  @Test(.rule(48)) func `An idle handle that nobody asks is stopped, so that the loop waits`() async throws {
    try await withLoop { loop in
      let idle = try loop.iterations(.idle)
      let pending = idle.next { _ in }
      #expect(idle.isActive)
      pending.cancel()
      #expect(!idle.isActive)
      idle.close()
    }
  }

  @Test func idleTimeIsMeasured() async throws {
    try await withLoop { loop in
      #expect(loop.statistics.idleTime == .zero)
      try loop.configure(.idleTime)
      for _ in 0..<5 { try await loop.sleep(for: .milliseconds(2)).value }
      #expect(loop.statistics.idleTime > .zero)
      try loop.configure(.blockSignal(.profiling))
      await expectError(.invalidArgument, of: try loop.configure(.blockSignal(.interrupt)))
    }
  }

  @Test func timeStandsStillUntilItIsLookedAt() async throws {
    try await withLoop { loop in
      let before = loop.now
      let start = LoopClock.Instant.now
      while start.duration(to: .now) < .milliseconds(2) {}
      #expect(loop.now == before)
      loop.updateTime()
      #expect(loop.now > before)
    }
  }

  @Test(.rule(8)) func `Handles that close are listed, and said to be closing`() async throws {
    try await withLoop { loop in
      let own = loop.handles
      #expect(own.allSatisfy { !$0.isClosing })
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let descriptor = try listener.fileDescriptor()
      func listed() -> LoopHandle? { loop.handles.first { $0.fileDescriptor == descriptor } }
      let handle = try #require(listed())
      #expect(handle.type == .tcp)
      #expect(handle.isActive && !handle.isClosing && handle.keepsLoopRunning)
      #expect(loop.handles.count == own.count + 1)
      let closing = listener.close()
      #expect(loop.handles.filter { $0.type == .tcp && $0.isClosing }.count == 1)
      try await closing.value
      #expect(loop.handles.count == own.count)
      #expect(loop.isAlive)
    }
  }
}
