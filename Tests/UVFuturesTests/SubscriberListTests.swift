#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A future has any number of subscribers, which come and go in any order: each that is left gets the result once, in the
/// order in which they came, and the work goes on as long as one is left.
@Suite struct SubscriberListTests {
  /// A future of a request that the test answers.
  private final class Work {
    var answer: Completion<Int>?
    var cancelCount = 0

    func future(_ loop: EventLoop) -> Future<Int, UVError> {
      Request<Int>(loop, operation: "test") { [self] done in
        answer = done
        return PendingRequest { [self] in cancelCount += 1 }
      }.future()
    }
  }

  private static func orders(of numbers: [Int]) -> [[Int]] {
    if numbers.isEmpty { return [[]] }
    return numbers.indices.flatMap { index in
      var rest = numbers
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }

  private static let subsets = (0..<16).map { bits in (0..<4).filter { bits >> $0 & 1 == 1 } }

  @Test("Whoever cancels, in whatever order, the others get the result, and the last one cancels the work")
  func cancelled() async throws {
    try await withCallbackLoop { loop in
      for subset in Self.subsets {
        for order in Self.orders(of: subset) {
          let work = Work()
          let future = work.future(loop)
          var seen: [Int] = []
          // Every other one asks later.
          let probes = (0..<4).map { Probe<Int, UVError>($0 % 2 == 0 ? .unlimited : .none) }
          for (number, probe) in probes.enumerated() {
            probe.onValue = { _ in seen.append(number) }
            future.subscribe(probe)
          }
          for (step, number) in order.enumerated() {
            probes[number].cancel()
            probes[number].cancel()
            #expect(work.cancelCount == (step == 3 ? 1 : 0), "\(order)")
          }
          work.answer?(.success(7))
          let left = (0..<4).filter { !subset.contains($0) }
          #expect(seen == left.filter { $0 % 2 == 0 }, "\(order)")
          for number in left where number % 2 == 1 { probes[number].request(.max(1)) }
          for (number, probe) in probes.enumerated() {
            let expected: [Heard<Int, UVError>] =
              left.contains(number) ? [.subscription, .value(7), .completion(.finished)] : [.subscription]
            #expect(probe.heard == expected, "\(number) of \(order)")
          }
        }
      }
    }
  }

  @Test(
    "A subscriber that cancels others, or subscribes, while the result is delivered, changes what comes after it alone"
  )
  func whileDelivering() async throws {
    try await withCallbackLoop { loop in
      for canceller in 0..<4 {
        for subset in Self.subsets {
          let work = Work()
          let future = work.future(loop)
          var seen: [Int] = []
          let probes = (0..<4).map { _ in Probe<Int, UVError>() }
          let late = Probe<Int, UVError>()
          for (number, probe) in probes.enumerated() {
            probe.onValue = { _ in
              seen.append(number)
              guard number == canceller else { return }
              for other in subset { probes[other].cancel() }
              future.subscribe(late)
            }
            future.subscribe(probe)
          }
          work.answer?(.success(7))
          #expect(
            seen == (0..<4).filter { $0 <= canceller || !subset.contains($0) },
            "\(canceller) cancels \(subset)")
          for (number, probe) in probes.enumerated() {
            let isEnded = !subset.contains(number) || number < canceller
            #expect(
              probe.completions == (isEnded ? [.finished] : []), "\(number), \(canceller) cancels \(subset)")
          }
          #expect(late.values == [7] && late.completions == [.finished])
          #expect(work.cancelCount == 0)
        }
      }
    }
  }

  @Test("After all have cancelled, one that comes later gets what the cancelled work answers")
  func afterAll() async throws {
    try await withCallbackLoop { loop in
      for count in 1...3 {
        let work = Work()
        let future = work.future(loop)
        for _ in 0..<count {
          let probe = Probe<Int, UVError>()
          future.subscribe(probe)
          probe.cancel()
        }
        #expect(work.cancelCount == 1)
        let late = Probe<Int, UVError>()
        future.subscribe(late)
        let error = UVError(.cancelled, operation: "test")
        work.answer?(.failure(error))
        work.answer?(.success(1))
        #expect(late.heard == [.subscription, .completion(.failure(error))])
      }
    }
  }
}
#endif
