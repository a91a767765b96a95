#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Clients that break off, are silent, or don't read, in each state of a connection.
@Suite struct ServerFaultTests {
  private static let conversation: Bytes = """
    GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\
    POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\nX: y\r\n\r\n\
    GET /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n
    """

  /// Answers with the path and the body, or not at all if the body fails.
  private nonisolated(nonsending) static func echo(_ exchange: HTTPExchange) async {
    do {
      let body = try await exchange.body.readToEnd(limit: 100).value
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      try await writer.write(Bytes("\(exchange.request.path ?? "") ")).value
      try await writer.write(body).value
      try await writer.finish().value
    } catch {}
  }

  /// How many answers a text has, each to a whole request or a refusal.
  private static func statuses(_ text: String) -> [String] {
    text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
  }

  @Test("A conversation that ends at any byte is answered as far as it came", arguments: [false, true])
  func ends(secure: Bool) async throws {
    try await serveEach(secure: secure, Self.echo) { loop, connect in
      let whole = Self.conversation
      for cut in 0...whole.count where !secure || cut % 7 == 0 || cut == whole.count {
        let stream = try await connect()
        try await stream.write(Bytes(whole[..<cut])).value
        try await stream.shutdown().value
        let text = "\(try await stream.readToEnd(limit: 10_000).value)"
        let heads = Bytes(whole[..<cut]).description.components(separatedBy: "HTTP/1.1\r\n").count - 1
        let statuses = Self.statuses(text)
        // Each request that came whole has its answer; one that is cut off has 400 or none.
        #expect(statuses.count <= heads + 1, "cut at \(cut)")
        #expect(statuses.dropLast().allSatisfy { $0 == "200" }, "cut at \(cut): \(statuses)")
        if let last = statuses.last { #expect(["200", "400"].contains(last), "cut at \(cut)") }
        if cut == whole.count { #expect(statuses == ["200", "200", "200", "200"]) }
        stream.close()
      }
    }
  }

  @Test("A client that resets its connection at any byte leaves nothing behind")
  func resets() async throws {
    try await serveEach(HTTPLimits(), Self.echo) { loop, connect in
      let whole = Self.conversation
      for cut in 0...whole.count {
        let stream = try await connect()
        try await stream.write(Bytes(whole[..<cut])).value
        (stream as? TCPConnection)?.closeReset()
        // Some are reset while the server answers, and some before.
        if cut % 3 == 0 { try await loop.sleep(for: .milliseconds(1)).value }
      }
    }
  }

  @Test("A client that never reads ends by the timeout, and holds no more than the limits say")
  func neverReads() async throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(200)
    let page = Bytes(repeating: 0x78, count: 60_000)
    let errors = Errors()
    try await serveEach(limits) { exchange in
      do {
        try await exchange.respond(HTTPResponse(status: .ok), page).value
      } catch { errors.count += 1 }
      errors.answers += 1
    } client: { loop, connect in
      let stream = try await connect()
      let requests = Bytes((0..<2000).flatMap { _ in Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) })
      let sending = loop.spawn { do { try await stream.write(requests).value } catch {} }
      await sending.value
      while errors.count == 0 { try await loop.sleep(for: .milliseconds(5)).value }
      // The system's buffers take some megabytes. The rest was never made.
      #expect(errors.answers < 500)
      stream.close()
    }
  }

  private final class Errors: @unchecked Sendable {
    var count = 0
    var answers = 0
  }

  @Test("Each timeout ends its state: a silent body gets 408, and one that trickles, too")
  func bodyTimeouts() async throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(50)
    try await serveEach(limits, Self.echo) { loop, connect in
      let stream = try await connect()
      try await stream.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab").value
      let text = "\(try await stream.readToEnd(limit: 1000).value)"
      #expect(text.hasPrefix("HTTP/1.1 408 "))
      stream.close()
    }
  }

  @Test("The time for a body doesn't count while the program works, and costs nothing when it is over")
  func bodyThatWaits() async throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(50)
    limits.minimumRate = 1_000_000
    let first = Log<Bytes?>()
    try await serveEach(limits) { exchange in
      let loop = exchange.loop
      do {
        first.append(try await exchange.body.next().value)
        let before = loop.statistics.timeouts
        try await loop.sleep(for: .milliseconds(500)).value
        // Silence is looked for each 50 ms.
        #expect(loop.statistics.timeouts - before < 25)
        let rest = try await exchange.body.readToEnd(limit: 10).value
        try await exchange.respond(HTTPResponse(status: .ok), rest).value
      } catch { Issue.record(error) }
    } client: { loop, connect in
      let stream = try await connect()
      try await stream.write(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\nab"
      ).value
      try await loop.until { first.values == ["ab"] }
      try await stream.write("cdef").value
      #expect(bodies(of: "\(try await stream.readToEnd(limit: 1000).value)") == ["cdef"])
      stream.close()
    }
  }

  @Test("A connection that has lasted long enough says so with the next answer")
  func lifetime() async throws {
    var limits = HTTPLimits()
    limits.lifetime = .milliseconds(30)
    try await serveEach(limits, Self.echo) { loop, connect in
      let stream = try await connect()
      try await loop.sleep(for: .milliseconds(40)).value
      try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
      let text = "\(try await stream.readToEnd(limit: 1000).value)"
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("connection: close\r\n"))
      stream.close()
    }
  }

  @Test("A slow handler isn't a silent client: the timeout doesn't count while the program works")
  func slowHandler() async throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(20)
    try await serveEach(limits) { exchange in
      try? await exchange.loop.sleep(for: .milliseconds(100)).value
      try? await exchange.respond(HTTPResponse(status: .ok), "late").value
    } client: { loop, connect in
      for request in ["GET / HTTP/1.1", "POST / HTTP/1.1"] {
        let stream = try await connect()
        try await stream.write(Bytes("\(request)\r\nHost: a\r\nConnection: close\r\n\r\n")).value
        let text = "\(try await stream.readToEnd(limit: 1000).value)"
        #expect(bodies(of: text) == ["late"])
        stream.close()
      }
    }
  }

  @Test(
    "The end of the service waits for requests under way, and says so to their clients",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 2),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 1),
    ])
  func quiescing(requests: String, count: Int) async throws {
    makeCertificates()
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.lastSilence = .milliseconds(10)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let address = try server.localAddress()
      var streams: [TCPConnection] = []
      var exchanges: [HTTPExchange] = []
      for _ in 0..<5 {
        let stream = try await loop.tcp.connect(to: address).value
        try await stream.write(Bytes(requests)).value
        for _ in 0..<count { exchanges.append(try #require(try await server.next().value)) }
        streams.append(stream)
      }
      server.close()
      for exchange in exchanges { try await exchange.respond(HTTPResponse(status: .ok), "last").value }
      exchanges = []
      for stream in streams {
        let text = "\(try await stream.readToEnd(limit: 1000).value)"
        #expect(bodies(of: text) == Array(repeating: "last", count: count))
        #expect(text.components(separatedBy: "connection: close").count == 2)
        stream.close()
      }
      #expect(try await server.next().value == nil)
      await #expect(throws: UVError.self) { _ = try await loop.tcp.connect(to: address).value }
    }
  }

  @Test("A client that always has another request under way gets the end, too", arguments: [false, true])
  func endlessPipelining(isByLifetime: Bool) async throws {
    makeCertificates()
    try await withLoop { loop in
      var limits = HTTPLimits()
      if isByLifetime { limits.lifetime = .milliseconds(50) }
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let stream = try await loop.tcp.connect(to: server.localAddress()).value
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          loop.sleep(for: .milliseconds(1)) { _ in exchange.respond(HTTPResponse(status: .ok), "a") { _ in } }
        }
      }
      let request: Bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
      for _ in 0..<64 { try await stream.write(request).value }
      var (count, limit) = (0, 10_000)
      while count < limit, let head = try await stream.read(until: "\r\n\r\na", limit: 1000).value {
        count += 1
        if "\(head)".contains("connection: close") { break }
        // Those that have come are answered, and those that are handed out.
        if count == 100, !isByLifetime {
          server.close()
          limit = count + 64 + limits.pipelinedRequests
        }
        try await stream.write(request).value
      }
      #expect(count < limit)
      stream.close()
      if isByLifetime { server.close() }
      try await serving.value
    }
  }

  @Test("Beyond the limit of connections clients wait until one has ended")
  func connections() async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    try await serveEach(limits, Self.echo) { loop, connect in
      let (first, second) = (try await connect(), try await connect())
      for stream in [first, second] {
        try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
        _ = try await stream.read(until: "0\r\n\r\n", limit: 1000).value
      }
      let third = try await connect()
      try await third.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
      await #expect(throws: UVError.self) {
        _ = try await third.next().timeout(after: .milliseconds(30)).value
      }
      first.close()
      let text = "\(try await third.readToEnd(limit: 1000).value)"
      #expect(text.hasPrefix("HTTP/1.1 200 "))
      for stream in [second, third] { stream.close() }
    }
  }

  @Test("A server that nobody keeps and nobody asks closes, and answers what it has with 500")
  func abandoned() async throws {
    makeCertificates()
    try await withLoop { loop in
      var server: HTTPServer? = try loop.http.listen(host: "127.0.0.1", port: 0)
      let address = try #require(try server?.localAddress())
      let stream = try await loop.tcp.connect(to: address).value
      try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").value
      let exchange = try #require(try await server?.next().value)
      server = nil
      try await exchange.respond(HTTPResponse(status: .ok)).value
      let text = "\(try await stream.readToEnd(limit: 1000).value)"
      #expect(Self.statuses(text) == ["200", "500"])
      stream.close()
      await #expect(throws: UVError.self) { _ = try await loop.tcp.connect(to: address).value }
    }
  }
}
#endif
