#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// When operators with a clock deliver, and that none is left behind by a subscription that ends. Times are read before
/// what begins an interval and after what ends it, so that a slow machine can't fail a test.
@Suite struct TimedRuleTests {
  private static let interval = Duration.milliseconds(12)
  private typealias Stride = EventLoop.SchedulerTimeType.Stride

  /// What a subscriber has heard, and when.
  private final class Heard {
    var times: [(value: [Int], at: LoopClock.Instant)] = []
    var end: LoopClock.Instant?
  }

  private static func subscribe(
    _ publisher: AnyLoopPublisher<[Int], Never>, _ heard: Heard
  ) -> AnyCancellable {
    publisher.sink(
      receiveCompletion: { _ in heard.end = .now }, receiveValue: { heard.times.append(($0, .now)) })
  }

  @Test(
    "A throttle leaves an interval between two values, and the end comes with the last",
    arguments: [true, false])
  func throttle(latest: Bool) async throws {
    try await withLoop { loop in
      for count in 2...5 {
        let subject = PassthroughSubject<Int, Never>()
        let heard = Heard()
        let token = Self.subscribe(
          subject.throttle(for: Stride(Self.interval), scheduler: loop, latest: latest).map { [$0] }
            .eraseToAnyLoopPublisher(), heard)
        let begin = LoopClock.Instant.now
        subject.send(1)
        try await loop.until { heard.times.count == 1 }
        for value in 2...count { subject.send(value) }
        subject.send(completion: .finished)
        subject.send(9)
        #expect(heard.times.count == 1 && heard.end == nil)
        try await loop.until { heard.end != nil }
        #expect(heard.times.map(\.value) == [[1], [latest ? count : 2]])
        // The first isn't delivered before it is sent.
        #expect(begin.duration(to: heard.times[1].at) >= Self.interval)
        #expect(begin.duration(to: heard.end!) >= Self.interval)
        token.cancel()
      }
    }
  }

  @Test("A throttle that has been silent for an interval delivers at once, and an end without a value, too")
  func throttleAfterSilence() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let heard = Heard()
      let token = Self.subscribe(
        subject.throttle(for: Stride(.milliseconds(3)), scheduler: loop, latest: true).map { [$0] }
          .eraseToAnyLoopPublisher(), heard)
      for value in 1...3 {
        subject.send(value)
        #expect(loop.statistics.timers == 0, "it doesn't wait for \(value)")
        try await loop.until { heard.times.count == value }
        try await loop.sleep(for: .milliseconds(5)).value
      }
      subject.send(completion: .finished)
      #expect(loop.statistics.timers == 0)
      try await loop.until { heard.end != nil }
      #expect(heard.times.map(\.value) == [[1], [2], [3]])
      token.cancel()
    }
  }

  @Test("A delay delivers each value and the end no earlier than an interval after it was sent")
  func delay() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let heard = Heard()
      let token = Self.subscribe(
        subject.delay(for: Stride(Self.interval), scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher(),
        heard)
      var sent: [LoopClock.Instant] = []
      for value in 0..<6 {
        sent.append(.now)
        subject.send(value)
        try await loop.sleep(for: .milliseconds(value % 3 * 2)).value
      }
      let end = LoopClock.Instant.now
      subject.send(completion: .finished)
      try await loop.until { heard.end != nil }
      #expect(heard.times.map(\.value) == (0..<6).map { [$0] })
      for (value, time) in heard.times.enumerated() {
        #expect(sent[value].duration(to: time.at) >= Self.interval, "\(value)")
      }
      #expect(end.duration(to: heard.end!) >= Self.interval)
      token.cancel()
    }
  }

  @Test("A debounce delivers a value no earlier than its time after it, and the end drops one that waits")
  func debounce() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let heard = Heard()
      let token = Self.subscribe(
        subject.debounce(for: Stride(Self.interval), scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher(),
        heard)
      for round in 1...2 {
        var last = LoopClock.Instant.now
        for value in 1...3 {
          last = .now
          subject.send(round * 10 + value)
        }
        try await loop.until { heard.times.count == round }
        #expect(heard.times[round - 1].value == [round * 10 + 3])
        #expect(last.duration(to: heard.times[round - 1].at) >= Self.interval)
      }
      subject.send(31)
      subject.send(completion: .finished)
      #expect(loop.statistics.timers == 0)
      try await loop.until { heard.end != nil }
      #expect(heard.times.count == 2)
      token.cancel()
    }
  }

  @Test("A timeout begins anew with each value, and comes no earlier than its time after the last")
  func timeout() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let heard = Heard()
      let token = Self.subscribe(
        subject.timeout(Stride(.milliseconds(40)), scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher(),
        heard)
      var last = LoopClock.Instant.now
      for value in 0..<4 where heard.end == nil {
        last = .now
        subject.send(value)
        try await loop.sleep(for: .milliseconds(15)).value
      }
      try await loop.until { heard.end != nil }
      #expect(heard.times.map(\.value) == (0..<heard.times.count).map { [$0] })
      #expect(last.duration(to: heard.end!) >= .milliseconds(40) || heard.times.count < 4)
      #expect(loop.statistics.timers == 0)
      token.cancel()
    }
  }

  @Test("A group begins with its first value, holds all of its interval, and the rest comes with the end")
  func collect() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let heard = Heard()
      let token = Self.subscribe(
        subject.collect(.byTime(loop, Stride(Self.interval))).eraseToAnyLoopPublisher(), heard)
      for round in 1...2 {
        #expect(loop.statistics.timers == 0, "none runs while nothing comes")
        let begin = LoopClock.Instant.now
        subject.send(round)
        subject.send(-round)
        try await loop.until { heard.times.count == round }
        #expect(heard.times[round - 1].value == [round, -round])
        #expect(begin.duration(to: heard.times[round - 1].at) >= Self.interval)
        try await loop.sleep(for: .milliseconds(1)).value
      }
      subject.send(5)
      subject.send(completion: .finished)
      #expect(loop.statistics.timers == 0)
      try await loop.until { heard.end != nil }
      #expect(heard.times.last?.value == [5])
      token.cancel()
    }
  }
}
#endif
