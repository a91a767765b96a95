#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// Values that are collected by count, those of a sequence, and an iteration: nothing is lost and nothing comes unasked,
/// whatever the subscriber asks for and when.
@Suite struct CollectCountTests {
  @Test(
    "Groups have so many values, the last one the rest, and as many groups come as are wanted",
    arguments: 1...4)
  func collect(size: Int) async throws {
    try await withLoop { loop in
      for seed in 0..<40 {
        let draws = Draws(UInt64(seed))
        let subject = PassthroughSubject<Int, Trouble>()
        let probe = Probe<[Int], Trouble>(.none)
        subject.collect(.byTimeOrCount(loop, .seconds(1000), size)).subscribe(probe)
        var (sent, wanted) = (0, 0)
        let count = draws.draw(12)
        while sent < count {
          if draws.draw(2) == 0 {
            sent += 1
            subject.send(sent)
          } else {
            wanted += 1
            probe.request(.max(1))
          }
          try await loop.sleep(for: .zero).value
          #expect(probe.values.count == min(wanted, sent / size), "seed \(seed)")
        }
        let end: Subscribers.Completion<Trouble> = draws.draw(3) == 0 ? .failure(.first) : .finished
        subject.send(completion: end)
        try await loop.sleep(for: .zero).value
        let all = stride(from: 1, through: count, by: size).map { Array($0...min($0 + size - 1, count)) }
        if end == .finished {
          // The rest comes when it is wanted, and then the end.
          let groups = all.count
          while wanted < groups {
            #expect(probe.completions.isEmpty && probe.values == Array(all.prefix(wanted)), "seed \(seed)")
            wanted += 1
            probe.request(.max(1))
            try await loop.sleep(for: .zero).value
          }
          #expect(probe.values == all, "seed \(seed)")
        } else {
          #expect(probe.values == Array(all.prefix(min(wanted, count / size))))
        }
        #expect(probe.completions == [end], "seed \(seed)")
      }
    }
  }

  @Test("What came before it was asked for comes in groups, and the rest an interval later", arguments: 1...7)
  func late(count: Int) async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let probe = Probe<[Int], Trouble>(.none)
      subject.collect(.byTimeOrCount(loop, .milliseconds(1), 3)).subscribe(probe)
      for value in 1...count { subject.send(value) }
      try await loop.sleep(for: .zero).value
      probe.request(.unlimited)
      for _ in 0..<10_000 where probe.values.joined().count < count {
        try await loop.sleep(for: .milliseconds(1)).value
      }
      #expect(probe.values == stride(from: 1, through: count, by: 3).map { Array($0...min($0 + 2, count)) })
      subject.send(completion: .finished)
      try await loop.sleep(for: .zero).value
      #expect(probe.completions == [.finished])
    }
  }

  @Test("A sequence delivers as many elements as are asked for, also from within, and then the end")
  func sequence() async throws {
    try await withCallbackLoop { _ in
      for seed in 0..<60 {
        let draws = Draws(UInt64(seed))
        let count = draws.draw(8)
        let probe = Probe<Int, Never>(.none)
        var (wanted, isCancelled) = (0, false)
        let stop = draws.draw(4) == 0 ? draws.draw(count + 1) : -1
        probe.onValue = { value in
          probe.furtherDemand = draws.draw(3) == 0 ? .max(1) : .none
          if probe.furtherDemand > 0 { wanted += 1 }
          if draws.draw(3) == 0 {
            wanted += 1
            probe.request(.max(1))
          }
          if value == stop {
            isCancelled = true
            probe.cancel()
          }
        }
        (0..<count).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.subscribe(probe)
        while probe.completions.isEmpty, !isCancelled {
          #expect(probe.values == Array(0..<min(wanted, count)), "seed \(seed)")
          wanted += 1
          probe.request(.max(1))
        }
        #expect(probe.values == Array(0..<(isCancelled ? stop + 1 : count)), "seed \(seed)")
        #expect(probe.completions == (isCancelled ? [] : [.finished]))
      }
    }
  }

  enum Ending: CaseIterable, Sendable { case failure, finish, failureAtOnce }

  @Test(
    "Of the tasks that wait for values, one gets the error, and each later wait is answered with nil",
    arguments: 0...3, Ending.allCases)
  func iteration(waiters: Int, ending: Ending) async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, Trouble>()
      let publisher: AnyLoopPublisher<Int, Trouble> =
        ending == .failureAtOnce
        ? Fail<Int, Trouble>(error: .first).eraseToAnyLoopPublisher() : subject.eraseToAnyLoopPublisher()
      let iterator = publisher.values.makeAsyncIterator()
      func wait() async -> String {
        var copy = iterator
        do throws(Trouble) { return try await copy.next().map { "\($0)" } ?? "nil" } catch {
          return "\(error)"
        }
      }
      let tasks = (0..<waiters).map { _ in loop.spawn { () async in await wait() } }
      try await loop.sleep(for: .zero).value
      if ending != .failureAtOnce {
        // One of them gets a value.
        subject.send(7)
        subject.send(completion: ending == .failure ? .failure(.first) : .finished)
      }
      var outcomes: [String] = []
      for task in tasks { outcomes.append(await task.value) }
      for _ in 0..<3 { outcomes.append(await wait()) }
      let errors = ending == .finish ? 0 : 1
      let values = ending == .failureAtOnce || waiters == 0 ? 0 : 1
      #expect(outcomes.count { $0 == "first" } == errors, "\(outcomes)")
      #expect(outcomes.count { $0 == "7" } == values, "\(outcomes)")
      #expect(outcomes.count { $0 == "nil" } == waiters + 3 - errors - values, "\(outcomes)")
      #expect(outcomes.suffix(2) == ["nil", "nil"])
    }
  }
}
#endif
