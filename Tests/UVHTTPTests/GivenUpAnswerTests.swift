#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// What it means to cancel an answer: before its end it ends the connection, whatever the answer waits for; after its end it
/// means nothing.
@Suite struct GivenUpAnswerTests {
  /// What is given, and can be cancelled.
  enum Way: CaseIterable, Sendable { case whole, prepared, file, interim, part, end, filePart }

  enum Style: CaseIterable, Sendable { case callback, request, task }

  /// What it waits for.
  enum Wait: CaseIterable, Sendable {
    case turn, client
    /// Its turn has come meanwhile, and it waits for the client.
    case turnAndClient
  }

  private static let ok = HTTPResponse(status: .ok)
  /// More than the system's buffers hold.
  private static let much = Bytes(repeating: 0x78, count: 1 << 20)
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"

  /// Three requests that have come together on one connection, and what the test does with them.
  private final class Bench {
    let loop: EventLoop
    let client: PipeConnection
    let file: File
    private let server: HTTPServer
    private(set) var exchanges: [HTTPExchange] = []
    /// Writers that are dropped before their end break the connection off.
    private(set) var writer: HTTPResponseWriter?
    private(set) var outcomes: [UVError.Code?] = []
    private var pending = PendingRequest()
    private var task: LoopTask<Void, UVError>?
    /// Whether to cancel as soon as it has ended.
    var cancelsInEnd = false

    init(_ loop: EventLoop, _ file: File) throws {
      (self.loop, self.file) = (loop, file)
      let (near, far) = try loop.pipes.socketPair()
      (client, server) = (far, loop.http.serve(near))
    }

    nonisolated(nonsending) func begin() async throws {
      server.start { [weak self] in if case .success(let exchange?) = $0 { self?.exchanges.append(exchange) }
      }
      try await client.write(Bytes("\(get)\r\n\(get)\r\n\(get)Connection: close\r\n\r\n")).value
      try await loop.until { exchanges.count == 3 }
    }

    func cancel() {
      pending.cancel()
      task?.cancel()
    }

    private func note(_ result: Result<Void, UVError>) {
      outcomes.append(result.error?.code)
      if cancelsInEnd { cancel() }
    }

    /// Answers the second request, or begins to.
    func give(_ way: Way, _ style: Style) throws {
      let exchange = exchanges[1]
      let head = HTTPPreparedHead(ok)
      if [.part, .end, .filePart].contains(way) { writer = try exchange.begin(ok) }
      let hints = HTTPResponse(status: .init(code: 103))
      if way == .end { writer!.write("x") { _ in } }
      if style == .callback {
        pending =
          switch way {
          case .whole: exchange.respond(ok, "x", note)
          case .prepared: exchange.respond(head, "x", note)
          case .file: exchange.respond(ok, file: file, count: 1, note)
          case .interim: exchange.inform(hints, note)
          case .part: writer!.write("x", note)
          case .end: writer!.finish([:], note)
          case .filePart: writer!.write(file: file, count: 1, note)
          }
        return
      }
      let request: Request<Void> =
        switch way {
        case .whole: exchange.respond(ok, "x")
        case .prepared: exchange.respond(head, "x")
        case .file: exchange.respond(ok, file: file, count: 1)
        case .interim: exchange.inform(hints)
        case .part: writer!.write("x")
        case .end: writer!.finish()
        case .filePart: writer!.write(file: file, count: 1)
        }
      if style == .request { return pending = request.start(note) }
      task = loop.spawn { () async throws(UVError) in try await request.value }
      loop.spawn { [self] in
        do throws(UVError) { note(.success(try await task!.value)) } catch { note(.failure(error)) }
      }
    }

    /// Ends the second answer, if only a part of it was given.
    func complete(_ way: Way) {
      if way == .interim { exchanges[1].respond(ok, "x") { _ in } }
      if way == .part || way == .filePart { writer!.finish { _ in } }
    }

    func end() {
      (exchanges, writer) = ([], nil)
      client.close()
      server.close()
    }
  }

  private static func with(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, File) async throws -> Void
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/file", "x").value
      let file = try await loop.files.open("\(directory)/file").value
      try await body(loop, file)
      try await file.close().value
    }
  }

  @Test(
    "An answer that is cancelled before its end ends with that, and so does the connection, whatever it waits for",
    arguments: Way.allCases)
  func givenUp(way: Way) async throws {
    try await Self.with { loop, file in
      for wait in Wait.allCases {
        for style in Style.allCases {
          let name = "\(way), \(wait), \(style)"
          let bench = try Bench(loop, file)
          try await bench.begin()
          if wait == .client { bench.exchanges[0].respond(Self.ok, Self.much) { _ in } }
          try bench.give(way, style)
          try await loop.settle()
          if wait == .turnAndClient { bench.exchanges[0].respond(Self.ok, Self.much) { _ in } }
          try await loop.settle()
          #expect(bench.outcomes.isEmpty, "\(name)")
          bench.cancel()
          try await loop.settle()
          try #require(bench.outcomes == [.cancelled], "\(name)")
          let next = await code { () async throws(UVError) in
            try await bench.exchanges[2].respond(Self.ok, "last").value
          }
          #expect(next == .cancelled || next == .brokenPipe, "\(name)")
          bench.end()
        }
      }
    }
  }

  /// When it is cancelled that has ended.
  enum Moment: CaseIterable, Sendable { case inItsEnd, soon, inTheNextAnswer }

  @Test(
    "An answer that has ended isn't touched by its cancellation, and neither are those that follow",
    arguments: Way.allCases)
  func ended(way: Way) async throws {
    try await Self.with { loop, file in
      for moment in Moment.allCases {
        for (style, hasWaited) in Style.allCases.flatMap({ [($0, true), ($0, false)] }) {
          let name = "\(way), \(moment), \(style), has waited: \(hasWaited)"
          let bench = try Bench(loop, file)
          try await bench.begin()
          let reading = loop.spawn { () async throws(UVError) in
            try await bench.client.readToEnd(limit: 100_000).value
          }
          bench.cancelsInEnd = moment == .inItsEnd
          if !hasWaited { bench.exchanges[0].respond(Self.ok) { _ in } }
          try bench.give(way, style)
          try await loop.settle()
          if hasWaited { bench.exchanges[0].respond(Self.ok) { _ in } }
          try await loop.until { !bench.outcomes.isEmpty }
          if moment == .soon { bench.cancel() }
          try await loop.settle()
          bench.complete(way)
          let writer = try bench.exchanges[2].begin(Self.ok)
          try await writer.write("la").value
          if moment == .inTheNextAnswer { bench.cancel() }
          try await writer.write("st").value
          try await writer.finish().value
          let text = "\(try await reading.value)"
          #expect(text.split(separator: "HTTP/1.1 200 OK\r\n").count >= 3, "\(name)")
          #expect(text.hasSuffix("2\r\nla\r\n2\r\nst\r\n0\r\n\r\n"), "\(name)")
          #expect(bench.outcomes == [nil], "\(name)")
          bench.end()
        }
      }
    }
  }
}
#endif
