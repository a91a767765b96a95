#if Everything
import Dispatch
import Testing
import UV
import UVFutures
import UVTestSupport

/// Operators that use the loop's clock leave nothing behind on it.
@Suite struct TimedOperatorTests {
  @Test(
    "A cancelled delay, throttle, debounce, timeout or collect does not keep its loop",
    .timeLimit(.minutes(1)))
  func cancelledWorkLeavesTheLoop() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      var tokens = [
        Just(1).delay(for: 1000, scheduler: loop).sink { _ in },
        subject.delay(for: 1000, scheduler: loop).sink { _ in },
        subject.throttle(for: 1000, scheduler: loop, latest: false).sink { _ in },
        subject.debounce(for: 1000, scheduler: loop).sink { _ in },
        subject.timeout(1000, scheduler: loop).sink { _ in },
        subject.collect(.byTime(loop, 1000)).sink { _ in },
        subject.measureInterval(using: loop).sink { _ in },
      ]
      for value in 1...3 { subject.send(value) }
      loop.sleep(for: .milliseconds(2)) { _ in
        subject.send(4)
        for token in tokens { token.cancel() }
        tokens = []
      }
    }
  }

  @Test func `A delay keeps the order and the distance of what comes, and delays the end`() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let probe = Probe<Int, Trouble>()
      subject.delay(for: .milliseconds(5), scheduler: loop).subscribe(probe)
      // Begun before the values are sent: its date is the earlier one, however late the machine is.
      loop.sleep(for: .milliseconds(3)) { _ in
        #expect(probe.values == [])
        subject.send(3)
        subject.send(completion: .failure(.first))
        #expect(probe.completions == [])
      }
      subject.send(1)
      subject.send(2)
      probe.onCompletion = { _ in #expect(probe.values == [1, 2, 3]) }
      loop.eventually(probe.completions == [.failure(.first)])
    }
  }

  @Test("A throttle delivers the first value at once, and the last or first of each interval")
  func throttle() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let (last, first) = (Probe<Int, Never>(), Probe<Int, Never>())
      subject.throttle(for: .milliseconds(10), scheduler: loop, latest: true).subscribe(last)
      subject.throttle(for: .milliseconds(10), scheduler: loop, latest: false).subscribe(first)
      subject.send(1)
      loop.sleep(for: .zero) { _ in
        #expect(last.values == [1])
        #expect(first.values == [1])
        for value in 2...4 { subject.send(value) }
        subject.send(completion: .finished)
        #expect(last.completions == [])
      }
      loop.eventually(
        last.values == [1, 4] && first.values == [1, 2] && last.completions == [.finished]
          && first.completions == [.finished])
    }
  }

  @Test func `Values are collected by time, and by count where that comes first`() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let (timed, counted) = (Probe<[Int], Never>(), Probe<[Int], Never>())
      subject.collect(.byTime(loop, .milliseconds(5))).subscribe(timed)
      subject.collect(.byTimeOrCount(loop, .seconds(1000), 2)).subscribe(counted)
      for value in 1...3 { subject.send(value) }
      #expect(timed.values == [])
      loop.eventually(timed.values == [[1, 2, 3]] && counted.values == [[1, 2]]) {
        subject.send(4)
        subject.send(5)
        subject.send(completion: .finished)
      }
      loop.eventually(
        timed.values == [[1, 2, 3], [4, 5]] && counted.values == [[1, 2], [3, 4], [5]]
          && timed.completions == [.finished] && counted.completions == [.finished])
    }
  }

  @Test func `Collected values wait for demand, and an error drops them`() async throws {
    try await withCallbackLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let probe = Probe<[Int], Trouble>(.none)
      subject.collect(.byTimeOrCount(loop, .milliseconds(1), 2)).subscribe(probe)
      for value in 1...5 { subject.send(value) }
      loop.sleep(for: .milliseconds(10)) { _ in
        #expect(probe.values == [])
        probe.request(.max(1))
        loop.sleep(for: .zero) { _ in
          #expect(probe.values == [[1, 2]])
          subject.send(completion: .failure(.first))
          loop.sleep(for: .zero) { _ in #expect(probe.completions == [.failure(.first)]) }
        }
      }
    }
  }

  @Test func `A queue is a scheduler, and a loop brings what comes from it back`() async throws {
    try await withLoop { loop in
      let publisher = Just(1).receive(on: DispatchQueue(label: "elsewhere")).delay(
        for: .milliseconds(1), scheduler: loop)
      var values: [Int] = []
      for await value in publisher.values { values.append(value) }
      #expect(values == [1])
    }
  }

  @Test func `Merges are extended by further publishers`() {
    let one = Just(1)
    var values: [Int] = []
    let five = [1].publisher.merge(with: Just(2)).merge(with: Just(3), [4].publisher).merge(with: Just(5))
    let eight: Publishers.Merge8 = five.merge(with: one, one, one)
    let token = eight.sink { values.append($0) }
    #expect(values == [1, 2, 3, 4, 5, 1, 1, 1])
    token.cancel()
  }
}
#endif
