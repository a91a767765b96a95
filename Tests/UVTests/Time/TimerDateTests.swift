import Foundation
import Testing
import UV
import UVTestSupport

/// Apart from `TimerTests`, which run in the simulation too: this one uses what the package keeps to itself.
@Suite struct TimerDateTests {
  private func stayBusy(_ loop: EventLoop, for duration: Duration) {
    let end = loop.clock.now.advanced(by: duration)
    while loop.clock.now < end {}
  }

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
      stayBusy(loop, for: .milliseconds(20))
      // Dates come in their order, no matter when in the callback they were set.
      loop.sleep(until: start.advanced(by: .milliseconds(1010))) { _ in dates.append(2) }
      sleepASecond(2)
    }
    #expect(log.values == [0, 1, 2])
    #expect(dates.values == [1, 2])
  }

  enum Place: CaseIterable, Sendable { case timer, microtask, iteration, task }

  @Test("A date stays what it is when the callback that asks for it goes on", arguments: Place.allCases)
  func dates(place: Place) async throws {
    try await withLoop { loop in
      let date = loop.clock.now.advanced(by: .seconds(1000))
      var sleep: PendingRequest?
      func ask() {
        sleep = loop.sleep(until: date) { _ in }
        stayBusy(loop, for: .milliseconds(30))
      }
      switch place {
      case .timer: loop.sleep(for: .zero) { _ in ask() }
      case .microtask: loop.queueMicrotask { ask() }
      case .iteration:
        let turns = try loop.iterations(.check)
        turns.start { _ in
          if sleep == nil { ask() }
          turns.close()
        }
      case .task: ask()
      }
      while sleep == nil { try await loop.sleep(for: .zero).value }
      try await loop.sleep(for: .zero).value
      let due = try #require(loop.snapshot().timers.entries.map(\.dueIn).max())
      // Timers are in whole milliseconds.
      #expect(due <= loop.now.duration(to: date) + .milliseconds(2))
      sleep?.cancel()
    }
  }

  /// libuv's own timers are up to 1 ms early, as its clock is in whole milliseconds. With UV_STRESS set, a
  /// million of ours.
  @Test(
    "Of many sleeps and timers none ends before its time, by the system's clock and by the loop's", .rule(42),
    arguments: [false, true])
  func noneOfManyIsEarly(areTimers: Bool) async throws {
    let count = ProcessInfo.processInfo.environment["UV_STRESS"] == nil ? 20_000 : 1_000_000
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      var (left, fired, early, random) = (count, 0, 0, UInt64(count))
      func next(_ timer: LoopTimer?) throws(UVError) {
        if left == 0 {
          timer?.close()
          if fired == count { log.append(early) }
          return
        }
        left -= 1
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Up to 8 ms.
        let length = Int64(random >> 41)
        let due = LoopClock.Instant.now.advanced(by: .nanoseconds(length))
        let end = {
          fired += 1
          if min(loop.now, .now) < due { early += 1 }
          do throws(UVError) { try next(timer) } catch { Issue.record(error) }
        }
        if let timer {
          try timer.start(after: .nanoseconds(length)) { end() }
        } else {
          loop.sleep(for: .nanoseconds(length)) { _ in end() }
        }
      }
      for _ in 0..<1000 { try next(areTimers ? LoopTimer(loop) : nil) }
    }
    #expect(log.values.last == 0)
  }
}
