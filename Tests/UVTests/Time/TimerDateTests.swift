import Testing
import UV
import UVTestSupport

/// Apart from `TimerTests`, which run in the simulation too: this one uses what the package keeps to itself.
@Suite struct TimerDateTests {
  @Test("Long sleeps and dates are never early, come in their order, and keep the run going")
  func longSleeps() async throws {
    let log = Log<Int>()
    let dates = Log<Int>()
    try await withCallbackLoop { loop in
      let start = loop.clock.now
      func sleepASecond(_ number: Int) {
        let start = loop.clock.now
        loop.sleep(for: .seconds(1)) { _ in
          #expect(start.duration(to: loop.clock.now) >= .seconds(1))
          log.append(number)
        }
      }
      loop.sleep(until: start.advanced(by: .milliseconds(1005))) { _ in dates.append(1) }
      sleepASecond(1)
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
      // Dates come in their order, no matter when in the callback they were set.
      loop.sleep(until: start.advanced(by: .milliseconds(1010))) { _ in dates.append(2) }
      sleepASecond(2)
    }
    #expect(log.values == [0, 1, 2])
    #expect(dates.values == [1, 2])
  }
}
