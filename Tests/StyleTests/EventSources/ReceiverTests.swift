#if Everything
import Testing
import UV
import UVTestSupport

/// An object that gets each element of a source, as a publisher's subscription does.
@Suite struct ReceiverTests {
  final class Recorder<Element>: _ElementReceiver<Element> {
    let log: Log<String>

    init(_ log: Log<String>, _ describe: @escaping (Element) -> String) {
      self.log = log
      super.init { _, result in
        switch result {
        case .success(let element?): log.append(describe(element))
        case .success(nil): log.append("end")
        case .failure(let error): log.append(error.code.name)
        }
      }
    }
  }

  /// A source of a program's own that has only what the protocol asks for.
  final class Wrapper: EventSource {
    let inner: CustomSource<Int>
    var loop: EventLoop { inner.loop }

    init(_ inner: CustomSource<Int>) { self.inner = inner }

    func next(_ done: @escaping Completion<Int?>) -> PendingRequest { inner.next(done) }
    func start(_ handler: @escaping Completion<Int?>) { inner.start(handler) }
    func stop() { inner.stop() }
    func makeAsyncIterator() -> SourceIterator<Int> { inner.makeAsyncIterator() }
  }

  func numbers(_ loop: EventLoop) -> CustomSource<Int> { CustomSource(loop, "numbers") { _ in } }

  @Test func `It gets each element, then the end`() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let (own, wrapped) = (numbers(loop), numbers(loop))
      own._start(for: Recorder(log) { "own \($0)" })
      Wrapper(wrapped)._start(for: Recorder(log) { "wrapped \($0)" })
      for source in [own, wrapped] {
        for number in 1...2 { source.send(number) }
        source.finish()
        try await loop.settle { log.values.last == "end" }
      }
      try await loop.settle { log.values.count == 6 }
      #expect(log.values == ["own 1", "own 2", "end", "wrapped 1", "wrapped 2", "end"])
    }
  }

  @Test func `It gets a stream's bytes until it is stopped; the rest waits`() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let (near, far) = try loop.pipes.pair()
      weak var recorder: Recorder<Bytes>?
      do {
        let strong = Recorder<Bytes>(log) { String(decoding: $0, as: UTF8.self) }
        recorder = strong
        near._start(for: strong)
      }
      #expect(recorder != nil)
      try await far.write("first").value
      try await loop.settle { log.values == ["first"] }
      near.stop()
      #expect(recorder == nil)
      try await far.write("second").value
      #expect(try await near.next().value.map { String(decoding: $0, as: UTF8.self) } == "second")
      #expect(log.values == ["first"])
      try await near.close().value
      try await far.close().value
    }
  }

  @Test func `It is notified that somebody waits already, or that there is a handler`() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      let source = numbers(loop)
      let pending = source.next { _ in log.append("cancelled") }
      source._start(for: Recorder(log) { "\($0)" })
      try await loop.settle { !log.values.isEmpty }
      pending.cancel()
      try await loop.settle { log.values.count == 2 }
      source._start(for: Recorder(log) { "\($0)" })
      source._start(for: Recorder(log) { "second \($0)" })
      source.send(1)
      try await loop.settle { log.values.count == 4 }
      source.stop()
      #expect(log.values == ["ESOURCESTARTED", "cancelled", "ESOURCESTARTED", "1"])
    }
  }
}
#endif
