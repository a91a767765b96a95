import Testing
import UV
import UVTestSupport

/// When a source of one's own is asked to produce, and when to cease.
@Suite struct ResumePauseTests {
  /// A program that asks, leaves and sends in drawn order, also within the source's own functions.
  private final class Program {
    let loop: EventLoop
    let draws: Draws
    private(set) var calls: [String] = []
    private(set) var received: [Int] = []
    private var source: CustomSource<Int>!
    /// The requests for an element; nil until the one that asks has it.
    private var asked: [(number: Int, request: PendingRequest?)] = []
    private var hasHandler = false
    private var count = 0
    private(set) var sent = 0
    /// How many more steps the source's functions may take.
    private var more = 20

    init(_ loop: EventLoop, _ seed: Int) {
      (self.loop, draws) = (loop, Draws(UInt64(seed)))
      source = CustomSource(loop, "drawn") { [unowned self] _ in
        note("resume")
      } pause: { [unowned self] _ in
        note("pause")
      }
    }

    /// Whether somebody waits, as this program knows it.
    var isWaiting: Bool { hasHandler || !asked.isEmpty }

    private func note(_ call: String) {
      calls.append(call)
      while more > 0, draws.draw(2) == 0 {
        more -= 1
        step()
      }
    }

    func step() {
      switch draws.draw(5) {
      case 0 where !hasHandler: ask()
      case 1 where asked.contains { $0.request != nil }:
        let index = draws.one(of: asked.indices.filter { asked[$0].request != nil })
        asked.remove(at: index).request?.cancel()
      case 2 where !isWaiting:
        hasHandler = true
        source.start { [unowned self] in if case .success(let number?) = $0 { received.append(number) } }
      case 3 where hasHandler:
        hasHandler = false
        source.stop()
      case 4:
        source.send(sent)
        sent += 1
      default: break
      }
    }

    private func ask() {
      count += 1
      let number = count
      asked.append((number, nil))
      let request = source.next { [unowned self] result in
        asked.removeAll { $0.number == number }
        if case .success(let element?) = result { received.append(element) }
      }
      if let index = asked.firstIndex(where: { $0.number == number }) { asked[index].request = request }
    }

    func end() {
      more = 0
      for asker in asked { asker.request?.cancel() }
      if hasHandler { source.stop() }
      (asked, hasHandler) = ([], false)
    }
  }

  @Test(arguments: 0..<4)
  func `A source is asked to produce and to cease in turn, and produces while somebody waits`(part: Int)
    async throws
  {
    try await withLoop { loop in
      for seed in part * 100..<(part + 1) * 100 {
        let program = Program(loop, seed)
        func check(_ when: String) {
          let expected = program.calls.indices.map { $0 % 2 == 0 ? "resume" : "pause" }
          #expect(program.calls == expected, "seed \(seed) \(when)")
          #expect((program.calls.last == "resume") == program.isWaiting, "seed \(seed) \(when)")
          #expect(program.received == Array(0..<program.received.count), "seed \(seed) \(when)")
          // Nobody waits while something is there.
          #expect(!program.isWaiting || program.received.count == program.sent, "seed \(seed) \(when)")
        }
        for number in 0..<12 {
          for _ in 0...program.draws.draw(2) { program.step() }
          try await loop.sleep(for: .zero).value
          try await loop.sleep(for: .zero).value
          check("step \(number)")
        }
        program.end()
        try await loop.settle()
        check("at the end")
      }
    }
  }

  @Test
  func `A reader that awaits what is answered at once between two elements doesn't let the source cease`()
    async throws
  {
    try await withLoop { loop in
      let log = Log<String>()
      let source = CustomSource<Int>(loop, "source") { _ in
        log.append("resume")
      } pause: { _ in
        log.append("pause")
      }
      let other = CustomSource<Int>(loop, "other")
      let reader = loop.spawn { () async throws(UVError) in
        for number in 0..<5 {
          #expect(try await source.next().value == number)
          try await other.drain().value
        }
      }
      for number in 0..<5 {
        try await loop.settle()
        #expect(log.values == ["resume"], "before element \(number)")
        source.send(number)
      }
      try await reader.value
      try await loop.settle()
      #expect(log.values == ["resume", "pause"])
    }
  }

  @Test func `Whoever sends can ask whether somebody waits for what isn't there`() async throws {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "source")
      #expect(!source.isWaitedFor)
      source.send(1)
      #expect(!source.isWaitedFor)
      #expect(try await source.next().value == 1)
      #expect(!source.isWaitedFor)
      source.next { _ in }
      #expect(source.isWaitedFor)
      source.send(2)
      #expect(!source.isWaitedFor)
      try await loop.settle()
      #expect(!source.isWaitedFor)
    }
  }

  @Test func `What a source still sends when its loop ends is dropped, and its reader is cancelled`()
    async throws
  {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let source = CustomSource<Int>(loop, "source") { _ in
      } pause: { source in
        log.append("pause with \(source.queuedCount)")
        source.send(7)
      }
      source.next { result in log.append("\(result)") }
      loop.shutdown()
      #expect(source.queuedCount == 0)
      source.next { result in log.append("\(result)") }
    }
    let cancelled = "failure(source: operation canceled (ECANCELED))"
    #expect(log.values == ["pause with 0", cancelled, cancelled])
  }

  /// A source of a program's own that delivers on the stack of the one that asks.
  private final class Eager: EventSource {
    typealias Element = Int
    typealias Failure = UVError
    let loop: EventLoop
    init(_ loop: EventLoop) { self.loop = loop }
    func next(_ done: @escaping Completion<Int?>) -> PendingRequest {
      done(.success(1))
      return PendingRequest()
    }
    func start(_ handler: @escaping Completion<Int?>) { handler(.success(1)) }
    func stop() {}
    struct AsyncIterator: AsyncIteratorProtocol {
      mutating func next() async throws(UVError) -> Int? { nil }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  @Test func `A receiver is the handler of a source from the first element on, however early that comes`()
    async throws
  {
    try await withLoop { loop in
      let source = Eager(loop)
      let log = Log<Bool>()
      source._start(for: _ElementReceiver { receiver, _ in log.append(receiver.isHandler) })
      #expect(log.values == [true])
    }
  }
}
