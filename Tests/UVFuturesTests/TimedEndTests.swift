#if Everything
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// No timer is left when a subscription with a clock is over, at whatever moment it is cancelled.
@Suite struct TimedEndTests {
  enum Moment: CaseIterable, Sendable {
    case atOnce, whileOneWaits, inValue, inSecondValue, afterTheEnd, inCompletion
  }

  // The programs are callbacks, so that no timer runs but the operator's.

  @Test(
    "Once it is cancelled, no timer runs and nothing comes", arguments: ClockedOperator.allCases,
    Moment.allCases)
  func cancelled(kind: ClockedOperator, moment: Moment) async throws {
    let timers = Log<Int>()
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let probe = Probe<[Int], Never>()
      func cancel() {
        probe.cancel()
        // What it sets in this very turn is looked at, too.
        loop.queueMicrotask {
          loop.queueMicrotask {
            timers.append(loop.statistics.timers)
            let count = probe.heard.count
            subject.send(5)
            #expect(loop.statistics.timers == 0)
            loop.sleep(for: .milliseconds(5)) { _ in #expect(probe.heard.count == count) }
          }
        }
      }
      // Those that deliver have to come to that soon.
      let isLong = moment == .atOnce || moment == .whileOneWaits || kind == .timeout
      kind.publisher(subject.eraseToAnyLoopPublisher(), loop, isLong ? .untilCancelled : .milliseconds(2))
        .subscribe(probe)
      probe.onValue = { _ in
        switch (moment, probe.values.count) {
        case (.inValue, 1), (.inSecondValue, 2): cancel()
        case (.inSecondValue, 1): loop.queueMicrotask { for value in 4...5 { subject.send(value) } }
        default: break
        }
      }
      probe.onCompletion = { _ in
        if moment == .inCompletion { cancel() }
        if moment == .afterTheEnd { loop.queueMicrotask { cancel() } }
      }
      if moment == .atOnce { cancel() }
      for value in 1...3 { subject.send(value) }
      if moment == .whileOneWaits { cancel() }
      if moment == .inCompletion || moment == .afterTheEnd { subject.send(completion: .finished) }
    }
    #expect(timers.values == [0], "\(kind) \(moment)")
  }

  @Test(
    "A repetition that is cancelled runs no more and leaves no timer, at whichever of its turns",
    arguments: 0...3, [true, false])
  func repetition(turns: Int, isInAction: Bool) async throws {
    let timers = Log<Int>()
    let counts = Log<Int>()
    try await withCallbackLoop { loop in
      var (count, token): (Int, (any Cancellable)?) = (0, nil)
      func cancel() {
        token?.cancel()
        loop.queueMicrotask {
          timers.append(loop.statistics.timers)
          loop.sleep(for: .milliseconds(6)) { _ in counts.append(count) }
        }
      }
      token = loop.schedule(after: loop.now, interval: .milliseconds(2), tolerance: 0, options: nil) {
        count += 1
        if count != turns { return }
        if isInAction { cancel() } else { loop.queueMicrotask { cancel() } }
      }
      if turns == 0 { cancel() }
    }
    #expect(timers.values == [0] && counts.values == [turns])
  }

  @Test("A repetition is never earlier than its dates, also after one that has taken longer than an interval")
  func dates() async throws {
    try await withLoop { loop in
      var times: [LoopClock.Instant] = []
      let begin = EventLoop.SchedulerTimeType(loop.clock.now.advanced(by: .milliseconds(4)))
      let token = loop.schedule(after: begin, interval: .milliseconds(3), tolerance: 0, options: nil) {
        times.append(.now)
        // Longer than an interval.
        if times.count == 2 { Thread.sleep(forTimeInterval: 0.012) }
      }
      try await loop.until { times.count >= 6 }
      token.cancel()
      for (number, time) in times.enumerated() {
        let date = begin.instant.advanced(by: .milliseconds(number * 3))
        #expect(date.duration(to: time) >= .zero, "\(number)")
      }
    }
  }
}
#endif
