import Testing
import UV
import UVTestSupport

/// What a source that has ended still holds, while somebody keeps the source.
@Suite struct EndedSourceTests {
  private final class Token {}

  /// Gives `begin` something to capture, ends the source, and expects that nothing holds it any more.
  private nonisolated(nonsending) func expectRelease<Source>(
    _ loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation, _ end: (Source) -> Void,
    _ begin: (Token) throws -> Source
  ) async throws {
    weak var token: Token?
    let source: Source
    do {
      let captured = Token()
      token = captured
      source = try begin(captured)
    }
    #expect(token != nil, sourceLocation: sourceLocation)
    try await loop.settle()
    end(source)
    try await loop.settle()
    #expect(token == nil, sourceLocation: sourceLocation)
    withExtendedLifetime(source) {}
  }

  @Test func `A handler goes when its source ends: listeners, sockets, watchers, streams`() async throws {
    try await withLoopAndDirectory { loop, path in
      func started<Element>(_ source: SourceHandle<Element>, _ token: Token) -> SourceHandle<Element> {
        source.start { _ in withExtendedLifetime(token) {} }
        return source
      }
      try await expectRelease(loop, { $0.close() }) {
        started(try loop.tcp.listen(host: "127.0.0.1", port: 0), $0)
      }
      try await expectRelease(loop, { $0.close() }) {
        started(try loop.pipes.listen(path: "\(path)/socket"), $0)
      }
      try await expectRelease(loop, { $0.close() }) {
        started(try loop.udp.bind(host: "127.0.0.1", port: 0), $0)
      }
      try await expectRelease(loop, { $0.close() }) { started(try loop.signals(.user2), $0) }
      try await expectRelease(loop, { $0.close() }) { started(try loop.files.watch(path), $0) }
      let (ours, theirs) = try loop.pipes.pair()
      try await expectRelease(loop, { $0.close() }) {
        started(try loop.poll(ours.fileDescriptor(), for: .readable), $0)
      }
      try await expectRelease(loop, { (stream: PipeConnection) in stream.close() }) { token in
        theirs.start { _ in withExtendedLifetime(token) {} }
        return theirs
      }
      ours.close()
    }
  }

  @Test func `All closures of a source of one's own go when it ends, whether or not somebody reads`()
    async throws
  {
    try await withLoop { loop in
      for isRead in [false, true] {
        func begun(_ source: CustomSource<Int>) -> CustomSource<Int> {
          if isRead { source.start { _ in } }
          return source
        }
        try await expectRelease(loop, { $0.finish() }) { token in
          begun(CustomSource(loop, "source", resume: { _ in withExtendedLifetime(token) {} }))
        }
        try await expectRelease(loop, { $0.finish() }) { token in
          begun(
            CustomSource(loop, "source", resume: { _ in }, pause: { _ in withExtendedLifetime(token) {} }))
        }
      }
    }
  }
}
