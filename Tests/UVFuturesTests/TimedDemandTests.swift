#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// An operator with a clock delivers the same to a subscriber that asks for one value at a time as to one that asks for
/// all, as long as it asks at once.
@Suite struct TimedDemandTests {
  /// An operator, and what it delivers of what is sent: 1, then 2 and 3 in one turn, 4 and 5 in a later one, and the end.
  enum Operator: CaseIterable {
    case delay, throttleLatest, throttleFirst, debounce, collectByTime, collectByCount, timeout

    func publisher(_ subject: AnyLoopPublisher<Int, Never>, _ loop: EventLoop) -> AnyLoopPublisher<
      [Int], Never
    > {
      let time = EventLoop.SchedulerTimeType.Stride.milliseconds(20)
      return switch self {
      case .delay: subject.delay(for: time, scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
      case .throttleLatest:
        subject.throttle(for: time, scheduler: loop, latest: true).map { [$0] }.eraseToAnyLoopPublisher()
      case .throttleFirst:
        subject.throttle(for: time, scheduler: loop, latest: false).map { [$0] }.eraseToAnyLoopPublisher()
      case .debounce: subject.debounce(for: time, scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
      case .collectByTime: subject.collect(.byTime(loop, time)).eraseToAnyLoopPublisher()
      case .collectByCount: subject.collect(.byTimeOrCount(loop, .seconds(1000), 2)).eraseToAnyLoopPublisher()
      case .timeout: subject.timeout(.seconds(1000), scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
      }
    }

    var values: [[Int]] {
      switch self {
      case .delay, .timeout: [[1], [2], [3], [4], [5]]
      case .throttleLatest: [[1], [3], [5]]
      case .throttleFirst: [[1], [2], [4]]
      case .debounce: [[3], [5]]
      case .collectByTime: [[1, 2, 3], [4, 5]]
      case .collectByCount: [[1, 2], [3, 4], [5]]
      }
    }
  }

  /// How a subscriber asks.
  enum Demand: CaseIterable {
    /// For all.
    case unlimited
    /// For one, and for another one when it comes: by what it returns, or before.
    case oneByReturn, oneByRequest
    /// For two at a time.
    case pairs
  }

  @Test(
    "A timed operator delivers the same, whether all is asked for or one value after the other",
    arguments: Operator.allCases, Demand.allCases)
  func same(kind: Operator, demand: Demand) async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let probe: Probe<[Int], Never> =
        switch demand {
        case .unlimited: Probe()
        case .oneByReturn: Probe(.max(1), then: .max(1))
        case .oneByRequest: Probe(.max(1))
        case .pairs: Probe(.max(2))
        }
      probe.onValue = { _ in
        if demand == .oneByRequest { probe.request(.max(1)) }
        if demand == .pairs, probe.values.count % 2 == 0 { probe.request(.max(2)) }
      }
      // A subject drops what nobody has asked for yet.
      let values = subject.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
      kind.publisher(values.eraseToAnyLoopPublisher(), loop).subscribe(probe)
      subject.send(1)
      loop.sleep(for: .zero) { _ in
        for value in 2...3 { subject.send(value) }
        // All that 1 to 3 bring has come by then.
        let first = kind.values.prefix { !$0.contains(4) && !$0.contains(5) }
        loop.eventually(probe.values == Array(first)) {
          loop.sleep(for: .milliseconds(40)) { _ in
            for value in 4...5 { subject.send(value) }
            let rest = kind == .collectByCount ? 1 : 0
            loop.eventually(probe.values.count == kind.values.count - rest) {
              subject.send(completion: .finished)
              loop.eventually(probe.completions == [.finished]) { #expect(probe.values == kind.values) }
            }
          }
        }
      }
    }
  }
}
#endif
