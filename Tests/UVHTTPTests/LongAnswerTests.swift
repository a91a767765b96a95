#if Everything
import CTestHooks
import Testing
import UVTestSupport

@testable import UVHTTP

/// Answers that are longer than what is copied, and than what the system takes.
@Suite struct LongAnswerTests {
  private static let ok = HTTPResponse(status: .ok)
  /// More than the system's buffers hold.
  private static let much = Bytes(repeating: 0x78, count: 32 << 20)

  /// How a connection comes about, and what the client asks for.
  struct Way: CustomTestStringConvertible, Sendable, CaseIterable {
    var isSecure = false
    /// Whether the connection ends after the answer.
    var isLast = false
    /// What is sent in place of one request.
    var requests: String?

    static let allCases = [false, true].flatMap { secure in
      [false, true].map { Way(isSecure: secure, isLast: $0) }
    }
    var testDescription: String {
      "\(isSecure ? "TLS" : "TCP"), \(isLast ? "the last answer" : "another may follow")"
    }
    var bytes: Bytes {
      Bytes(requests ?? "GET / HTTP/1.1\r\nHost: a\r\n\(isLast ? "Connection: close\r\n" : "")\r\n")
    }
  }

  private static func body(_ size: Int) -> Bytes {
    Bytes(repeating: UInt8(truncatingIfNeeded: size), count: size)
  }

  /// Runs a client beside a server that answers each request with `answer`.
  private func serve(
    _ way: Way,
    _ answer: nonisolated(nonsending) @escaping @Sendable (HTTPExchange) async throws(UVError) -> Void,
    client: nonisolated(nonsending) @escaping @Sendable (ByteStream, Log<UVError.Code?>) async throws -> Void
  ) async throws {
    let ends = Log<UVError.Code?>()
    try await serveEach(secure: way.isSecure) { exchange in
      do throws(UVError) {
        try await answer(exchange)
        ends.append(nil)
      } catch { ends.append(error.code) }
    } client: { _, connect in
      let stream = try await connect()
      try await stream.write(way.bytes).value
      try await client(stream, ends)
      stream.close()
    }
  }

  /// Reads the long answer, and sees how it has ended for the server.
  private nonisolated(nonsending) func take(
    from stream: ByteStream, _ ends: Log<UVError.Code?>, _ code: UVError.Code?
  ) async throws {
    #expect(try await stream.read(exactly: Self.much.count).value == Self.much)
    try await stream.loop.settle { !ends.values.isEmpty }
    #expect(ends.values == [code])
  }

  @Test(
    "A task goes on at once after an answer that the system takes", arguments: [13, 16_384, 16_385, 65_536])
  func atOnce(size: Int) async throws {
    let body = Bytes(repeating: 0x78, count: size)
    try await serve(Way()) { exchange throws(UVError) in
      let microtasks = Log<Int>()
      exchange.loop.queueMicrotask { microtasks.append(1) }
      try await exchange.respond(Self.ok, body).value
      #expect(microtasks.values == [])
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      #expect(try await stream.read(exactly: size).value == body)
      #expect(ends.values == [nil])
    }
  }

  @Test("A task waits while the client is slow to take the answer", arguments: Way.allCases)
  func waits(way: Way) async throws {
    try await serve(way) { exchange throws(UVError) in
      try await exchange.respond(Self.ok, Self.much).value
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      try await stream.loop.settle()
      #expect(ends.values == [])
      try await take(from: stream, ends, nil)
    }
  }

  @Test("A callback waits, too", arguments: Way.allCases)
  func callback(way: Way) async throws {
    try await serve(way) { exchange throws(UVError) in
      let answered = Log<Int>()
      exchange.respond(Self.ok, Self.much) { result in
        if case .success = result { answered.append(1) }
      }
      try await exchange.loop.settle()
      #expect(answered.values == [])
      try await exchange.loop.settle { !answered.values.isEmpty }
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      // The server looks meanwhile.
      for _ in 0..<20 { try await stream.loop.settle() }
      #expect(ends.values == [])
      try await take(from: stream, ends, nil)
    }
  }

  @Test(
    "A task that is cancelled while it waits for a slow client ends the connection", arguments: Way.allCases)
  func cancelled(way: Way) async throws {
    try await serve(way) { exchange throws(UVError) in
      let answering = exchange.loop.spawn { () async throws(UVError) in
        try await exchange.respond(Self.ok, Self.much).value
      }
      try await exchange.loop.settle()
      answering.cancel()
      try await answering.value
    } client: { stream, ends in
      try await stream.loop.settle { !ends.values.isEmpty }
      #expect(ends.values == [.cancelled])
      var count = 0
      do {
        while let bytes = try await stream.next().value { count += bytes.count }
      } catch {}
      #expect(count < Self.much.count)
    }
  }

  @Test("A task hears that its client has gone before the client had the answer", arguments: Way.allCases)
  func gone(way: Way) async throws {
    try await serve(way) { exchange throws(UVError) in
      try await exchange.respond(Self.ok, Self.much).value
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      stream.close()
      try await stream.loop.settle { !ends.values.isEmpty }
      #expect(ends.values == [.brokenPipe])
    }
  }

  @Test("A second answer is refused, also after one that had to wait", arguments: Way.allCases)
  func second(way: Way) async throws {
    try await serve(way) { exchange throws(UVError) in
      let answer = exchange.respond(Self.ok, Self.much)
      try await answer.value
      try await answer.value
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      try await take(from: stream, ends, .alreadyInProgress)
    }
  }

  @Test("Answers of all lengths to requests that came together come in order", arguments: [false, true])
  func together(secure: Bool) async throws {
    let sizes = [13, 20_000, 65_536, 0, 17_000, 16_384, 3_000_000, 65_536, 65_536, 1]
    let way = Way(
      isSecure: secure, requests: sizes.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    try await serve(way) { exchange throws(UVError) in
      let size = Int(exchange.request.path?.dropFirst() ?? "")!
      // Every third one is written in two parts, the first of which is long or short.
      if size % 3 != 0 { return try await exchange.respond(Self.ok, Self.body(size)).value }
      let writer = try exchange.begin(Self.ok, length: size)
      for part in [size - size / 4, size / 4] {
        try await writer.write(Bytes(Self.body(size)[..<part])).value
      }
      try await writer.finish().value
    } client: { stream, ends in
      for size in sizes {
        let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(head)\r\n".contains("content-length: \(size)\r\n"))
        #expect(try await stream.read(exactly: size).value == Self.body(size))
      }
      try await stream.loop.settle { ends.values.count == sizes.count }
      #expect(ends.values.allSatisfy { $0 == nil })
    }
  }

  @Test(
    "Answers to requests that came together leave together in their turn, though they are more than may wait for the client",
    .enabled(if: test_allocations_can_count() != 0), arguments: [5000, 16_384, 16_385])
  func oneTurn(size: Int) async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let stream = try await loop.tcp.connect(to: server.localAddress()).value
      try await stream.write(Bytes(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 16))).value
      var exchanges: [HTTPExchange] = []
      for _ in 0..<16 { exchanges.append(try #require(try await server.next().value)) }
      test_faults_arm(5, Int32(TEST_FAULT_SYSTEM.rawValue), .max, 1, "write")
      defer { test_faults_disarm() }
      let turn = TurnEnd(loop)
      for exchange in exchanges { try await exchange.respond(Self.ok, Self.body(size)).value }
      #expect(!turn.hasCome)
      for _ in exchanges {
        _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        #expect(try await stream.read(exactly: size).value == Self.body(size))
      }
      // Those that are copied leave once they are as much as may wait.
      let most = size > 16_384 ? 1 : 1 + 16 * (size + 200) / 65_536
      #expect(test_faults_calls("write") + test_faults_calls("writev") <= most)
      stream.close()
      server.close()
    }
  }

  @Test(
    "A connection that becomes another protocol's has brought the long answers before",
    arguments: [false, true])
  func upgraded(secure: Bool) async throws {
    let long = Bytes(repeating: 0x78, count: 65_536)
    let way = Way(
      isSecure: secure,
      requests: """
        GET /long HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\
        Upgrade: b\r\n\r\n
        """)
    try await serve(way) { exchange throws(UVError) in
      if exchange.request.path == "/long" { return try await exchange.respond(Self.ok, long).value }
      let stream = try await exchange.upgrade(
        HTTPResponse(status: .switchingProtocols, headerFields: [.connection: "upgrade", .upgrade: "b"])
      ).value
      try await stream.write("hello").value
      stream.close()
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      #expect(try await stream.read(exactly: long.count).value == long)
      let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
      #expect("\(head)".hasPrefix("HTTP/1.1 101 "))
      #expect(try await stream.readToEnd(limit: 100).value == "hello")
      try await stream.loop.settle { ends.values.count == 2 }
    }
  }

  @Test(
    "The end of the service waits for long answers that clients are slow to take", arguments: [false, true])
  func quiescing(secure: Bool) async throws {
    let sizes = [65_536, 20_000, Self.much.count]
    let way = Way(
      isSecure: secure, requests: sizes.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    try await serve(way) { exchange throws(UVError) in
      let size = Int(exchange.request.path?.dropFirst() ?? "")!
      if size == sizes.last {
        exchange.loop.shutdownGracefully(within: .seconds(60)) { _ in }
      } else {
        try await exchange.loop.settle()
      }
      try await exchange.respond(Self.ok, Bytes(Self.much[..<size])).value
    } client: { stream, ends in
      for size in sizes {
        let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(head)".contains("connection: close") == (size == sizes.last))
        #expect(try await stream.read(exactly: size).value == Bytes(Self.much[..<size]))
      }
      #expect(try await stream.next().value == nil)
      #expect(ends.values == [nil, nil, nil])
    }
  }

  @Test(
    "A request that is dropped beside long answers is answered in its turn", arguments: [false, true])
  func dropped(secure: Bool) async throws {
    let sizes = [65_536, 17_000, 0, 65_536]
    let lines = sizes.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n" }
    let way = Way(isSecure: secure, requests: lines.joined(separator: "\r\n") + "Connection: close\r\n\r\n")
    try await serve(way) { exchange throws(UVError) in
      let size = Int(exchange.request.path?.dropFirst() ?? "")!
      if size > 0 { try await exchange.respond(Self.ok, Self.body(size)).value }
    } client: { stream, ends in
      let text = String(decoding: try await stream.readToEnd(limit: 1 << 20).value, as: Unicode.ASCII.self)
      let bodies = bodies(of: text)
      try #require(bodies.count == sizes.count)
      #expect(bodies.map(\.count) == [65_536, 17_000, bodies[2].count, 65_536])
      #expect(bodies[2].hasPrefix("500 "))
    }
  }

  @Test("A client of HTTP/1.0 has its long answer whole, and then the end", arguments: [false, true])
  func oldClient(secure: Bool) async throws {
    try await serve(Way(isSecure: secure, requests: "GET / HTTP/1.0\r\n\r\n")) { exchange throws(UVError) in
      try await exchange.respond(Self.ok, Self.much).value
    } client: { stream, ends in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      #expect(try await stream.readToEnd(limit: Self.much.count).value == Self.much)
    }
  }
}
#endif
