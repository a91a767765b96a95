import Testing
import UV
import UVTestSupport

/// Apart from `TimerTests`, which run in the simulation too: this one uses what the package keeps to itself.
@Suite struct TimerDateTests {
  @Test("A sleep of a second counts from the end of the callback that starts it, and keeps the run going")
  func longSleeps() async throws {
    let log = Log<Int>()
    let dates = Log<Int>()
    try await withCallbackLoop { loop in
      let start = loop.clock.now
      loop.sleep(until: start.advanced(by: .milliseconds(1005))) { _ in dates.append(1) }
      loop.sleep(for: .seconds(1)) { _ in log.append(2) }
      let dropped = loop.sleep(for: .seconds(1000)) { result in
        if case .failure = result { log.append(0) }
      }
      let other = loop.sleep(for: .seconds(1000)) { _ in }
      // A look at the timers is not too early to know when they are due.
      #expect(loop.snapshot().timers.entries.map { $0.dueIn < .seconds(1001) } == [true, true, true, true])
      dropped.cancel()
      loop.queueMicrotask { other.cancel() }
      let busyUntil = loop.clock.now.advanced(by: .milliseconds(20))
      while loop.clock.now < busyUntil {}
      let end = loop.clock.now
      // Dates come in their order, no matter when in the callback they were set.
      loop.sleep(until: start.advanced(by: .milliseconds(1010))) { _ in dates.append(2) }
      loop.sleep(for: .seconds(1)) { _ in
        log.append(3)
        #expect(end.duration(to: loop.clock.now) >= .seconds(1))
      }
      loop.sleep(for: .milliseconds(960)) { _ in log.append(1) }
    }
    #expect(log.values == [0, 1, 2, 3])
    #expect(dates.values == [1, 2])
  }
}
