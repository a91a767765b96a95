import Testing
import UV
import UVTestSupport

/// The object of a request to another loop is used for the next one, once its message is back.
@Suite struct RemoteRequestTests {
  private final class Token: Sendable {}

  private struct Large: Equatable {
    var words = (0, 1, 2, 3, 4)
    static func == (a: Large, b: Large) -> Bool { a.words == b.words }
  }

  /// A loop whose thread waits until `open` is called.
  private final class BusyLoop {
    let group: EventLoopGroup
    let executor: LoopExecutor
    private let gate = Semaphore()

    init() throws {
      group = try EventLoopGroup(count: 1)
      executor = group.next()
    }

    func close() throws { try executor.execute { [gate] _ in gate.wait() } }
    func open() { gate.signal() }
  }

  @Test("An answered request that is cancelled leaves the one alone that has its object now")
  func cancelledTooLate() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let other = try BusyLoop()
      let first = other.executor.submit(on: loop) { _ in 1 }.start { log.append("first \($0.value ?? 0)") }
      try await loop.until { log.values.count == 1 }
      try other.close()
      let second = other.executor.submit(on: loop) { _ in 2 }.start { log.append("second \($0.value ?? 0)") }
      first.cancel()
      other.open()
      try await loop.until { log.values.count == 2 }
      second.cancel()
      first.cancel()
      try await loop.sleep(for: .zero).value
      #expect(log.values == ["first 1", "second 2"])
      _ = await other.group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `The object of a cancelled request isn't used before its message is back`() async throws {
    let answers = Log<Int>()
    let cancelled = Log<Int>()
    try await withLoop { loop in
      let other = try BusyLoop()
      for round in 0..<20 {
        try other.close()
        let pending = (0..<30).map { index in
          other.executor.submit(on: loop) { _ in round * 30 + index }.start { result in
            if let value = result.value { answers.append(value) } else { cancelled.append(index) }
          }
        }
        // Some at once, and some when others have been begun.
        for index in stride(from: 0, to: 30, by: 3) { pending[index].cancel() }
        other.executor.submit(on: loop) { _ in -1 }.start { _ in }
        pending[1].cancel()
        other.open()
        try await loop.until { answers.values.count == (round + 1) * 19 }
        for pending in pending { pending.cancel() }
      }
      let left = (0..<600).filter { $0 % 3 != 0 && $0 % 30 != 1 }
      #expect(answers.values == left)
      #expect(cancelled.values.count == 20 * 11)
      _ = await other.group.shutdownGracefully(within: .zero)
    }
  }

  @Test("A cancelled request lets go of its completion at once, and of its question when that is back")
  func releases() async throws {
    try await withLoop { loop in
      let other = try BusyLoop()
      try other.close()
      weak var question: Token?
      weak var completion: Token?
      weak var answer: Token?
      do {
        let (asked, passed, value) = (Token(), Token(), Token())
        (question, completion, answer) = (asked, passed, value)
        let submission = other.executor.submit(on: loop) { [asked, value] _ -> Token in
          _ = asked
          return value
        }
        submission.start { [passed] _ in _ = passed }.cancel()
      }
      try await loop.sleep(for: .zero).value
      #expect(completion == nil && question != nil)
      other.open()
      try await loop.until { question == nil && answer == nil }
      _ = await other.group.shutdownGracefully(within: .zero)
    }
  }

  @Test(
    "A request whose own loop has ended lets go of its question, and of its answer", arguments: [false, true])
  func ownLoopEnds(hasBegun: Bool) async throws {
    try await withLoop { loop in
      let (own, group, gate) = (try EventLoopGroup(count: 1), try EventLoopGroup(count: 1), Semaphore())
      let other = group.next()
      let begun = Log<Bool>()
      if !hasBegun { try other.execute { _ in gate.wait() } }
      weak var question: Token?
      weak var answer: Token?
      do {
        let (asked, value) = (Token(), Token())
        (question, answer) = (asked, value)
        try await own.next().submit(on: loop) { own in
          _ = other.submit(on: own) { [asked, value] _ -> Token in
            _ = asked
            begun.append(true)
            gate.wait()
            return value
          }.start { _ in }
        }.value
      }
      if hasBegun { try await loop.until { begun.values.count == 1 } }
      _ = await own.shutdownGracefully(within: .zero)
      #expect(question != nil && answer != nil)
      gate.signal()
      try await loop.until { question == nil && answer == nil }
      #expect(begun.values.count == (hasBegun ? 1 : 0))
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `A refused request lets go of its functions, and the next one is answered`() async throws {
    try await withLoop { loop in
      let (ended, alive) = (try EventLoopGroup(count: 1), try EventLoopGroup(count: 1))
      let executor = ended.next()
      _ = await ended.shutdownGracefully(within: .zero)
      for _ in 0..<3 {
        weak var token: Token?
        let log = Log<String>()
        do {
          let kept = Token()
          token = kept
          let pending = executor.submit(on: loop) { [kept] _ in _ = kept }
            .start { [kept] in log.append("\($0.error?.code == .loopClosed) \(kept === kept)") }
          pending.cancel()
        }
        try await loop.until { log.values.count == 1 }
        #expect(log.values == ["true true"] && token == nil)
        #expect(try await alive.next().submit(on: loop) { _ in 7 }.value == 7)
      }
      _ = await alive.shutdownGracefully(within: .zero)
    }
  }

  @Test func `An answer of any size comes back, and errors too`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.next()
      for round in 0..<10 {
        #expect(try await executor.submit(on: loop) { _ in Large() }.value == Large())
        #expect(try await executor.submit(on: loop) { _ in "\(round)" }.value == "\(round)")
        try await executor.submit(on: loop) { _ in }.value
        await expectError(
          .notSupported,
          of: try await executor.submit(on: loop) { _ throws(UVError) -> Large in
            throw UVError(.notSupported, operation: "test")
          }.value)
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test(
    "A request to another loop allocates its functions, and no object",
    .enabled(if: Hooks.canCountAllocations))
  func allocations() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.next()
      var answered = 0
      func count(_ ask: () -> Void) async throws -> Int {
        try await Hooks.leastAllocations {
          answered = 0
          for _ in 0..<100 { ask() }
          try await loop.until { answered == 100 }
        }
      }
      let own = Request<Int>(loop) { done in
        loop.queueMicrotask { done(.success(1)) }
        return PendingRequest()
      }
      let without = try await count { own.start { _ in answered += 1 } }
      let with = try await count { executor.submit(on: loop) { _ in 1 }.start { _ in answered += 1 } }
      #expect(with < without + 50, "\(with) beside \(without)")
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `A shielded task gets its answers from another loop while its own is stopped`() async throws {
    let log = Log<Int>()
    let group = try EventLoopGroup(count: 1)
    let executor = group.next()
    try await withLoop { loop in
      _ = loop.spawn {
        try await loop.withShield {
          loop.stop()
          for value in 0..<3 { log.append(try await executor.submit { _ in value }) }
          log.append(try await executor.submit(on: loop) { _ in 3 }.value)
        }
      }
    }
    #expect(log.values == [0, 1, 2, 3])
    try await withLoop { _ in _ = await group.shutdownGracefully(within: .zero) }
  }

  @Test func `Requests that are answered, cancelled and refused leave no memory behind`() async throws {
    try await withLoop { loop in
      let (ended, alive) = (try EventLoopGroup(count: 1), try EventLoopGroup(count: 1))
      let executors = [ended.next(), alive.next()]
      _ = await ended.shutdownGracefully(within: .zero)
      try await expectFlatHeap(rounds: 60) { round in
        var left = 300
        for index in 0..<300 {
          let executor = executors[index % 10 == 0 ? 0 : 1]
          let text = String(repeating: "a", count: 100 + index)
          let pending = executor.submit(on: loop) { _ in text + text }.start { _ in left -= 1 }
          if index % 3 == 0 { pending.cancel() }
        }
        try await loop.until { left == 0 }
        // Behind those that were cancelled.
        try await executors[1].submit { _ in }
      }
      _ = await alive.shutdownGracefully(within: .zero)
    }
  }
}
