#if Everything
import Testing
import UVHTTPCompression
import UVTestSupport

/// What it means to cancel a compressed answer: the same as for one that isn't, once the pool has compressed it.
@Suite struct GivenUpTests {
  /// What is given, and can be cancelled.
  enum Way: CaseIterable, Sendable {
    /// Compressed on the loop's thread, and by the pool.
    case short, long
    /// Sent as it is after all, and from the beginning.
    case random, unaccepted
    case part, flush, end

    var isByPool: Bool { self == .long || self == .random }
    var body: Bytes { self == .short ? text(2000) : self == .random ? noise(20_000) : text(100_000) }
    var isByWriter: Bool { self == .part || self == .flush || self == .end }
  }

  enum Style: CaseIterable, Sendable { case callback, request, task }

  /// What it waits for when it is cancelled.
  enum Wait: CaseIterable, Sendable {
    case turn, client
    /// Its turn has come meanwhile, and it waits for the client.
    case turnAndClient
    /// Nothing: it has ended.
    case nothing, nothingAfterTurn
  }

  private static let html = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
  private static let ok = HTTPResponse(status: .ok)
  /// More than the system's buffers hold.
  private static let much = Bytes(repeating: 0x78, count: 1 << 20)

  /// Three requests that have come together on one connection, and what the test does with them.
  private final class Bench {
    let loop: EventLoop
    let client: PipeConnection
    private let server: HTTPServer
    private(set) var exchanges: [HTTPExchange] = []
    /// A writer that is dropped before its end breaks the connection off.
    private(set) var writer: HTTPCompressedWriter?
    private(set) var outcomes: [UVError.Code?] = []
    private var pending = PendingRequest()
    private var task: LoopTask<Void, UVError>?

    init(_ loop: EventLoop) throws {
      self.loop = loop
      let (near, far) = try loop.pipes.socketPair()
      (client, server) = (far, loop.http.serve(near))
    }

    nonisolated(nonsending) func begin(accepting accepted: String) async throws {
      server.start { [weak self] in if case .success(let exchange?) = $0 { self?.exchanges.append(exchange) }
      }
      let get = "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: \(accepted)\r\n"
      try await client.write(Bytes("\(get)\r\n\(get)\r\n\(get)Connection: close\r\n\r\n")).value
      try await loop.until { exchanges.count == 3 }
    }

    func cancel() {
      pending.cancel()
      task?.cancel()
    }

    private func note(_ result: Result<Void, UVError>) { outcomes.append(result.error?.code) }

    /// Answers the second request, or begins to, and waits until the pool has compressed the answer.
    nonisolated(nonsending) func give(_ way: Way, _ style: Style) async throws {
      let exchange = exchanges[1]
      let compression = HTTPCompression()
      if way.isByWriter { writer = try exchange.begin(html, compression: compression) }
      if way == .end { writer!.write(way.body) { _ in } }
      if style == .callback {
        switch way {
        case .part: pending = writer!.write(way.body, note)
        case .flush: pending = writer!.flush(note)
        case .end: pending = writer!.finish([:], note)
        default: pending = exchange.respond(html, way.body, compression: compression, note)
        }
      } else {
        let request: Request<Void> =
          switch way {
          case .part: writer!.write(way.body)
          case .flush: writer!.flush()
          case .end: writer!.finish()
          default: exchange.respond(html, way.body, compression: compression)
          }
        if style == .request {
          pending = request.start(note)
        } else {
          task = loop.spawn { () async throws(UVError) in try await request.value }
          loop.spawn { [self] in
            do throws(UVError) { note(.success(try await task!.value)) } catch { note(.failure(error)) }
          }
        }
      }
      // Whether it is answered, this says without harm.
      while await code(of: { () async throws(UVError) in try await exchange.upgrade(ok).value })
        != .alreadyInProgress
      { try await loop.sleep(for: .milliseconds(1)).value }
      try await loop.settle()
    }

    func end() {
      (exchanges, writer) = ([], nil)
      client.close()
      server.close()
    }
  }

  @Test(
    "A compressed answer can be cancelled until its end, whatever it waits for, and not afterwards",
    arguments: Way.allCases)
  func givenUp(way: Way) async throws {
    try await withLoop { loop in
      for (wait, style) in Wait.allCases.flatMap({ wait in Style.allCases.map { (wait, $0) } }) {
        let name = "\(way), \(wait), \(style)"
        let bench = try Bench(loop)
        try await bench.begin(accepting: way == .unaccepted ? "br" : "gzip")
        let hasEnded = wait == .nothing || wait == .nothingAfterTurn
        let reading = loop.spawn { () async throws(UVError) -> Bytes in
          if !hasEnded { return Bytes() }
          return try await bench.client.readToEnd(limit: 1 << 20).value
        }
        if wait == .client { bench.exchanges[0].respond(Self.ok, Self.much) { _ in } }
        if wait == .nothing { bench.exchanges[0].respond(Self.ok) { _ in } }
        try await bench.give(way, style)
        if wait == .turnAndClient { bench.exchanges[0].respond(Self.ok, Self.much) { _ in } }
        if wait == .nothingAfterTurn { bench.exchanges[0].respond(Self.ok) { _ in } }
        if hasEnded { try await loop.until { !bench.outcomes.isEmpty } }
        try await loop.settle()
        #expect(bench.outcomes == (hasEnded ? [nil] : []), "\(name)")
        bench.cancel()
        try await loop.settle()
        try #require(bench.outcomes == [hasEnded ? nil : .cancelled], "\(name)")
        if way == .part || way == .flush { bench.writer!.finish { _ in } }
        let next = await code { () async throws(UVError) in
          try await bench.exchanges[2].respond(Self.ok, "last").value
        }
        let last = try await reading.value.suffix(4)
        if hasEnded {
          #expect(next == nil && last.elementsEqual(Bytes("last")), "\(name)")
        } else {
          #expect(next == .cancelled || next == .brokenPipe, "\(name)")
        }
        bench.end()
      }
    }
  }

  @Test("While the pool is busy the request isn't answered yet, and another answer may be given in its place")
  func inPool() async throws {
    try await withLoop { loop in
      for way in Way.allCases where way.isByPool {
        let bench = try Bench(loop)
        try await bench.begin(accepting: "gzip")
        let reading = loop.spawn { () async throws(UVError) in
          try await bench.client.readToEnd(limit: 1 << 20).value
        }
        let outcomes = Log<UVError.Code?>()
        try await withBusyPool(of: loop) {
          bench.exchanges[0].respond(Self.html, way.body, compression: HTTPCompression()) {
            outcomes.append($0.error?.code)
          }.cancel()
          try await loop.until { !outcomes.values.isEmpty }
          for exchange in bench.exchanges { exchange.respond(Self.ok, "other") { _ in } }
        }
        let read = "\(try await reading.value)"
        #expect(read.split(separator: "other").count == 3 && outcomes.values == [.cancelled])
        bench.end()
      }
    }
  }
}
#endif
