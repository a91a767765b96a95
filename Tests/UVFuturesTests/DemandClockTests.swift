#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// What an operator with a clock delivers comes at the same time, however and whenever its subscriber asks for more than it
/// gets. Times are those of timers that are set in the same turn: these fire in the order of their dates.
@Suite struct DemandClockTests {
  private static let interval = Duration.milliseconds(60)

  /// An operator, and what starts its clock.
  enum Clock: CaseIterable, Sendable {
    case timeoutFromSubscription, timeoutFromFirstDemand, timeoutFromValue
    case delay, throttleLatest, throttleFirst, debounce, collect, collectOrCount

    var kind: ClockedOperator {
      switch self {
      case .timeoutFromSubscription, .timeoutFromFirstDemand, .timeoutFromValue: .timeout
      case .delay: .delay
      case .throttleLatest: .throttleLatest
      case .throttleFirst: .throttleFirst
      case .debounce: .debounce
      case .collect: .collect
      case .collectOrCount: .collectByCount
      }
    }

    /// What has come when the clock has been started, and what has when its time is over.
    var heard: (before: [Heard<[Int], Never>], after: [Heard<[Int], Never>]) {
      switch self {
      case .timeoutFromSubscription, .timeoutFromFirstDemand: ([], [.completion(.finished)])
      case .timeoutFromValue:
        ([.value([1]), .value([2]), .value([3])], [.completion(.finished)])
      case .delay: ([], [.value([1]), .value([2]), .value([3])])
      case .throttleLatest: ([.value([1])], [.value([3])])
      case .throttleFirst: ([.value([1])], [.value([2])])
      case .debounce: ([], [.value([3])])
      case .collect, .collectOrCount: ([], [.value([1, 2, 3])])
      }
    }
  }

  /// How a subscriber asks that has asked for enough.
  enum Asking: CaseIterable, Sendable {
    /// Not again.
    case once, forAll
    /// Again and again, from a timer or between turns.
    case everyFewMilliseconds, manyAtOnce, eachTurn
    /// When it gets something: by what it returns, or before.
    case byReturn, inValue
    /// Late, but before anything is there.
    case shortlyBefore
  }

  @Test("Further demand moves no date of an operator with a clock", arguments: Clock.allCases)
  func dates(clock: Clock) async throws {
    try await withCallbackLoop { loop in
      // All at once, since they wait.
      for asking in Asking.allCases { Self.subscribe(to: clock, asking, loop) }
    }
  }

  private static func subscribe(to clock: Clock, _ asking: Asking, _ loop: EventLoop) {
    let subject = PassthroughSubject<Int, Never>()
    let isLate = clock == .timeoutFromFirstDemand
    let enough: Subscribers.Demand = asking == .forAll ? .unlimited : .max(3)
    let probe = Probe<[Int], Never>(isLate ? .none : enough, then: asking == .byReturn ? .max(1) : .none)
    if asking == .inValue { probe.onValue = { [unowned probe] _ in probe.request(.max(1)) } }
    var isOver = false
    func askAgain(after pause: Duration) {
      if isOver { return }
      probe.request(.max(1))
      loop.sleep(for: pause) { _ in askAgain(after: pause) }
    }
    func begin() {
      let (before, after) = clock.heard
      loop.sleep(for: interval / 2) { _ in #expect(probe.heard.dropFirst() == before[...], "\(asking)") }
      loop.sleep(for: interval * 3 / 2) { _ in
        isOver = true
        #expect(probe.heard.dropFirst() == (before + after)[...], "\(asking)")
        probe.cancel()
      }
      if isLate { probe.request(enough) }
      if !isLate, clock != .timeoutFromSubscription {
        subject.send(1)
        // A throttle has delivered the first one by then.
        loop.queueMicrotask { loop.queueMicrotask { for value in 2...3 { subject.send(value) } } }
      }
      switch asking {
      case .once, .forAll, .byReturn, .inValue: break
      case .everyFewMilliseconds: askAgain(after: .milliseconds(5))
      case .manyAtOnce: for _ in 0..<100 { probe.request(.max(1)) }
      case .eachTurn: askAgain(after: .zero)
      case .shortlyBefore: loop.sleep(for: interval * 3 / 4) { _ in probe.request(.max(1)) }
      }
    }
    clock.kind.publisher(subject.eraseToAnyLoopPublisher(), loop, interval, count: 10).subscribe(probe)
    // The clock of the subscription hasn't run out by then.
    if isLate { loop.sleep(for: interval * 3 / 4) { _ in begin() } } else { begin() }
  }
}
#endif
