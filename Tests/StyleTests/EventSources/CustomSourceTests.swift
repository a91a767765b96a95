#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A source that a program makes of its own behaves as those of the library, in every style.
@Suite struct CustomSourceTests {
  /// A source that sends the numbers from 0 on, one each millisecond while somebody asks; `log` says when it
  /// began and ceased to.
  func counter(_ loop: EventLoop, _ log: Log<String>, to end: Int = .max) -> CustomSource<Int> {
    var pending = PendingRequest()
    var number = 0
    func produce(_ source: CustomSource<Int>) {
      pending = loop.sleep(for: .milliseconds(1)) { result in
        guard case .success = result else { return }
        if number == end { return source.finish() }
        source.send(number)
        number += 1
        produce(source)
      }
    }
    return CustomSource<Int>(loop, "count") {
      log.append("resume")
      produce($0)
    } pause: { _ in
      log.append("pause")
      pending.cancel()
    }
  }

  @Test("It produces when somebody asks, in order, and stops when nobody does", arguments: Style.allCases)
  func demand(style: Style) async throws {
    try await withLoop { loop in
      let (calls, log) = (Log<String>(), Log<String>())
      let source = counter(loop, calls)
      try await loop.settle()
      #expect(calls.values == [])
      let cancel = style.observe(source, on: loop, log) { "\($0)" }
      #expect(log.values == [])
      try await loop.settle { log.values.count >= 3 }
      cancel()
      try await loop.settle { calls.values.last == "pause" }
      #expect(log.values.prefix(3) == ["0", "1", "2"])
      let (begun, seen) = (calls.values.count, log.values.count)
      try await loop.settle()
      #expect(calls.values.count == begun)
      // An eager future keeps what it had asked for; to the others, nothing was lost either.
      if style != .future {
        #expect(try await source.next().value == log.values.filter { Int($0) != nil }.count)
      }
      #expect(log.values.count <= seen + 1)
    }
  }

  @Test("Its end comes after what was sent before", arguments: Style.allCases)
  func end(style: Style) async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let source = CustomSource<Int>(loop, "count") { source in
        for number in 0..<100 { #expect(source.send(number)) }
        source.finish()
        #expect(!source.send(100))
      } pause: { _ in
        Issue.record("asked to pause after its end")
      }
      let cancel = style.observe(source, on: loop, log) { "\($0)" }
      #expect(log.values == [], "called on the caller's stack")
      try await loop.settle { log.values.count >= 100 }
      #expect(log.values == (0..<100).map(String.init))
      #expect(try await source.next().value == nil)
      withExtendedLifetime(cancel) {}
    }
  }

  @Test("Its error reaches every reader", arguments: Style.allCases)
  func failure(style: Style) async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let source = CustomSource<Int>(loop, "count") { source in
        source.send(1)
        source.finish(UVError(.brokenPipe, operation: "count"))
        source.finish()
      }
      let cancel = style.observe(source, on: loop, log) { "\($0)" }
      try await loop.settle { log.values.count >= 2 }
      #expect(log.values == ["1", "EPIPE"])
      await expectError(.brokenPipe, of: try await source.next().value)
      withExtendedLifetime(cancel) {}
    }
  }

  @Test func `It keeps its loop running while somebody asks, and no longer`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let calls = Log<String>()
      self.counter(loop, calls, to: 3).start { result in
        if case .success(let number) = result { log.append("\(number.map(String.init) ?? "end")") }
      }
      _ = CustomSource<Int>(loop, "idle") { _ in }
    }
    #expect(log.values == ["0", "1", "2", "end"])
  }

  @Test func `A waiter hears that it was cancelled when the loop is shut down`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let source = CustomSource<Int>(loop, "wait") { _ in
        log.append("resume")
      } pause: { _ in
        log.append("pause")
      }
      source.next { result in log.append("\(result)") }
      loop.shutdown()
      #expect(loop.statistics.isIdle)
      source.next { result in log.append("\(result)") }
    }
    #expect(
      log.values == [
        "resume", "pause", "failure(wait: operation canceled (ECANCELED))",
        "failure(wait: operation canceled (ECANCELED))",
      ])
  }

  @Test func `Readers that ask at the same time are answered in order`() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let source = self.counter(loop, Log<String>())
      for name in ["a", "b", "c"] {
        source.next { result in if case .success(let number?) = result { log.append("\(name)\(number)") } }
      }
      let second = source.next { result in
        if case .failure(let error) = result { log.append(error.name) }
      }
      second.cancel()
      try await loop.settle { log.values.count == 4 }
      #expect(log.values == ["ECANCELED", "a0", "b1", "c2"])
    }
  }
  @Test("A task gets what nobody has asked for without a wait, after earlier readers")
  func ready() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let source = CustomSource<Int>(loop, "numbers") { _ in }
      for number in 0..<4 { source.send(number) }
      source.next { result in if case .success(let number?) = result { log.append("callback \(number)") } }
      var iterator = source.makeAsyncIterator()
      let jobs = loop.statistics.jobsFromLoop
      for _ in 0..<3 { log.append("task \(try await iterator.next() ?? -1)") }
      #expect(log.values == ["callback 0", "task 1", "task 2", "task 3"])
      #expect(loop.statistics.jobsFromLoop - jobs == 1)
    }
  }

  @Test func `A task that is cancelled takes nothing of what nobody has asked for`() async throws {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "numbers") { _ in }
      source.send(1)
      let task = loop.spawn { () async throws(UVError) in
        for try await _ in source {}
      }
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      let left = try await source.next().value
      #expect(left == 1)
    }
  }

  @Test func `A task that takes thousands of elements lets others have their turn`() async throws {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "numbers") { _ in }
      for number in 0..<10000 { source.send(number) }
      source.finish()
      var (taken, takenThen) = (0, -1)
      loop.sleep(for: .zero) { _ in takenThen = taken }
      for try await number in source {
        #expect(number == taken)
        taken += 1
      }
      #expect(taken == 10000)
      #expect(0..<10000 ~= takenThen)
    }
  }

  @Test func `A source that nothing holds but its reader stays, and goes with it`() async throws {
    try await withLoop { loop in
      weak var source: CustomSource<Int>?
      var count = 0
      func make() -> CustomSource<Int> {
        let made = self.counter(loop, Log<String>())
        source = made
        return made
      }
      for try await _ in make() {
        count += 1
        if count == 3 { break }
      }
      try await loop.settle { source == nil }
    }
  }
}
#endif
