#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// An operator with a clock delivers the same to a subscriber that asks for one value at a time as to one that asks for
/// all, as long as it asks at once.
@Suite struct TimedDemandTests {
  /// The values that are delivered of what is sent: 1, then 2 and 3 in one turn, 4 and 5 in a later one, and the end.
  private static func values(_ kind: ClockedOperator) -> [[Int]] {
    switch kind {
    case .delay, .timeout: [[1], [2], [3], [4], [5]]
    case .throttleLatest: [[1], [3], [5]]
    case .throttleFirst: [[1], [2], [4]]
    case .debounce: [[3], [5]]
    case .collect: [[1, 2, 3], [4, 5]]
    case .collectByCount: [[1, 2], [3, 4], [5]]
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
    arguments: ClockedOperator.allCases, Demand.allCases)
  func same(kind: ClockedOperator, demand: Demand) async throws {
    let all = Self.values(kind)
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
      // A limit and a group's time don't end within the test.
      let isLong = kind == .timeout || kind == .collectByCount
      kind.publisher(values.eraseToAnyLoopPublisher(), loop, isLong ? .seconds(1000) : .milliseconds(20))
        .subscribe(probe)
      subject.send(1)
      loop.sleep(for: .zero) { _ in
        for value in 2...3 { subject.send(value) }
        // All that 1 to 3 bring has come by then.
        let first = all.prefix { !$0.contains(4) && !$0.contains(5) }
        loop.eventually(probe.values == Array(first)) {
          loop.sleep(for: .milliseconds(40)) { _ in
            for value in 4...5 { subject.send(value) }
            let rest = kind == .collectByCount ? 1 : 0
            loop.eventually(probe.values.count == all.count - rest) {
              subject.send(completion: .finished)
              loop.eventually(probe.completions == [.finished]) { #expect(probe.values == all) }
            }
          }
        }
      }
    }
  }
}
#endif
