#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The server, over real sockets.
@Suite struct ServerTests {
  @Test("Requests on one connection are answered in order, also if they come together")
  func pipelining() async throws {
    try await withServer { exchange in
      let body = try await exchange.body.readToEnd(limit: 100).value
      let text = "\(exchange.request.method.rawValue) \(exchange.request.path ?? "") \(body)"
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(text)).value
    } client: { client in
      let answer = try await client.exchange(
        """
        GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\
        POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n\r\n\
        HEAD /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n
        """)
      #expect(bodies(of: answer, head: 3) == ["GET /a ", "POST /b abc", "POST /c def", ""])
      #expect(answer.contains("content-length: 8\r\nconnection: close\r\n\r\n"))
      #expect(answer.contains("\r\ndate: "))
    }
  }

  @Test("A server reads no request that nobody asks for, not even a wrong one")
  func demand() async throws {
    makeCertificates()
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      // Somebody asks, so that the connection is accepted, and then nobody does.
      let asking = server.next { _ in }
      let client = try await loop.tcp.connect(to: server.localAddress()).value
      try await loop.settle { loop.statistics.handles >= 3 }
      asking.cancel()
      try await loop.settle()
      try await client.write("wrong\r\n").value
      let answer = Log<String>()
      client.next { result in
        if case .success(let bytes?) = result {
          answer.append(String(decoding: bytes.prefix(12), as: UTF8.self))
        }
      }
      try await loop.settle()
      #expect(answer.values == [])
      server.start { _ in }
      try await loop.settle { answer.values == ["HTTP/1.1 400"] }
      client.close()
      server.close()
    }
  }

  @Test("A request whose bytes come one at a time is answered")
  func slowly() async throws {
    try await withServer { exchange in
      let body = try await exchange.body.readToEnd(limit: 100).value
      #expect(exchange.body.trailers[HTTPField.Name("A")!] == "b")
      try await exchange.respond(HTTPResponse(status: .ok), body).value
    } client: { client in
      let text =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n"
      for byte in Bytes(text) { try await client.stream.write([byte]).value }
      let answer = try await client.readAll()
      #expect(bodies(of: answer) == ["abc"])
    }
  }

  @Test(
    "What isn't HTTP gets its status, and the connection ends in good order",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", "400"), ("GET / HTTP/1.1\n", "400"), ("GET / HTTP/2.0\r\n", "505"),
      ("GET /\(String(repeating: "a", count: 9000))", "414"),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40000))", "431"),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n", "413"),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", "417"),
    ])
  func refusals(text: String, status: String) async throws {
    try await withServer { _ in
      Issue.record("a request was handed out")
    } client: { client in
      let answer = try await client.exchange(text)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("connection: close"))
    }
  }

  @Test("The client gets leave to send its body when that is first read")
  func expectation() async throws {
    try await withServer { exchange in
      let body = try await exchange.body.readToEnd(limit: 100).value
      try await exchange.respond(HTTPResponse(status: .ok), body).value
    } client: { client in
      let head =
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
      try await client.stream.write(Bytes(head)).value
      let leave = try await client.stream.read(until: "\r\n\r\n", limit: 100).value
      #expect(leave == "HTTP/1.1 100 Continue")
      let answer = try await client.exchange("abc")
      #expect(bodies(of: answer) == ["abc"])
    }
  }

  @Test("Without leave no body comes, and the connection ends after the answer")
  func early() async throws {
    try await withServer { exchange in
      try await exchange.respond(HTTPResponse(status: .unauthorized)).value
    } client: { client in
      let answer = try await client.exchange(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
      #expect(answer.contains("connection: close"))
    }
  }

  @Test("A body that nobody reads is dropped, and the next request is answered")
  func unread() async throws {
    try await withServer { exchange in
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(exchange.request.path ?? "")).value
    } client: { client in
      let body = String(repeating: "x", count: 100_000)
      let answer = try await client.exchange(
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n\(body)GET /b HTTP/1.0\r\n\r\n")
      #expect(bodies(of: answer) == ["/a", "/b"])
    }
  }

  @Test("A request that is dropped is answered with 500, and the connection goes on")
  func dropped() async throws {
    try await withServer { _ in
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\n\r\n")
      #expect(answer.components(separatedBy: "HTTP/1.1 500 ").count == 3)
    }
  }

  @Test("A body that is longer than its reader's limit is answered with 413, and the connection goes on")
  func longBodies() async throws {
    try await withServer { exchange in
      let body = try? await exchange.body.readToEnd(limit: 5).value
      #expect(body == (exchange.request.path == "/long" ? nil : "abcde"))
    } client: { client in
      let long = "POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabcdef"
      let answer = try await client.exchange(long + "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nabcde")
      #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("HTTP/1.1 500 "))
    }
  }

  @Test("A body that breaks off or is wrong fails, and the request is answered with the status for it")
  func wrongBodies() async throws {
    try await withServer { exchange in
      await #expect(throws: UVError.self) { try await exchange.body.readToEnd(limit: 100).value }
    } client: { client in
      let answer = try await client.exchange(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd")
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test("A client that is silent in its head gets 408; between two requests the connection closes")
  func timeouts() async throws {
    var limits = HTTPLimits()
    (limits.headTimeout, limits.idleTimeout) = (.milliseconds(50), .milliseconds(100))
    try await withServer(limits) { _ in
    } client: { client in
      let answer = try await client.readAll()
      #expect(answer == "")
    }
    try await withServer(limits) { _ in
    } client: { client in
      let answer = try await client.exchange("GET / HT")
      #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test("A server's wait for requests is in the loop's snapshot by its name")
  func snapshot() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      server.start { _ in }
      let operations = loop.snapshot().requests.entries.map(\.operation)
      #expect(operations.contains("http") && !operations.contains("cancelled work"))
      server.close()
    }
  }

  @Test("No field that a program writes begins another")
  func injection() async throws {
    try await withServer { exchange in
      var response = HTTPResponse(status: .ok)
      response.headerFields[.location] = "a\r\nx: y"
      response.headerFields[.contentLength] = "7"
      try await exchange.respond(response, "a").value
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.0\r\n\r\n")
      #expect(answer.contains("Location: a  x: y\r\n"))
      #expect(answer.contains("content-length: 1\r\n"))
      #expect(!answer.contains("7\r\n"))
    }
  }

  @Test("A request can be answered once, and an answer without a body has none")
  func once() async throws {
    try await withServer { exchange in
      await #expect(throws: UVError(.invalidArgument, operation: "respond")) {
        try await exchange.respond(HTTPResponse(status: .noContent), "a").value
      }
      try await exchange.respond(HTTPResponse(status: .noContent)).value
      await #expect(throws: UVError(.alreadyInProgress, operation: "respond")) {
        try await exchange.respond(HTTPResponse(status: .ok)).value
      }
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n") && !answer.contains("content-length"))
    }
  }
}

/// A client that knows nothing of HTTP.
struct Client {
  let stream: TCPConnection

  nonisolated(nonsending) func exchange(_ text: String) async throws(UVError) -> String {
    try await stream.write(Bytes(text)).value
    return try await readAll()
  }

  nonisolated(nonsending) func readAll() async throws(UVError) -> String {
    let answer = try await stream.readToEnd(limit: 1 << 24).value
    return String(decoding: answer, as: UTF8.self)
  }
}

/// Runs a server, whose requests `handler` answers one after the other, and a client of it.
func withServer(
  _ limits: HTTPLimits = HTTPLimits(), sourceLocation: SourceLocation = #_sourceLocation,
  _ handler: nonisolated(nonsending) @escaping @Sendable (HTTPExchange) async throws -> Void,
  client: nonisolated(nonsending) @escaping @Sendable (Client) async throws -> Void
) async throws {
  makeCertificates()
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
    let address = try server.localAddress()
    let serving = loop.spawn { () async throws in
      var exchanges = server.makeAsyncIterator()
      while let exchange = try await exchanges.next() { try await handler(exchange) }
    }
    let connection = try await loop.tcp.connect(to: address).value
    try await client(Client(stream: connection))
    connection.close()
    server.close()
    try await serving.value
  }
}

/// Runs a server that answers each request in a task, over TCP or TLS, and calls `client` with a way to
/// connect.
func serveEach(
  _ limits: HTTPLimits = HTTPLimits(), secure: Bool = false,
  _ handler: nonisolated(nonsending) @escaping @Sendable (HTTPExchange) async -> Void,
  client:
    nonisolated(nonsending) @escaping @Sendable (
      EventLoop, nonisolated(nonsending) () async throws -> ByteStream
    ) async throws -> Void
) async throws {
  makeCertificates()
  let certificates = Certificates.shared.directory
  try await withLoop { loop in
    var limits = limits
    limits.lastSilence = .milliseconds(20)
    let server: HTTPServer
    let port: Int
    if secure {
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      port = Int(try listener.localAddress().port)
      server = loop.http.serve(listener, limits: limits)
    } else {
      server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      port = Int(try server.localAddress().port)
    }
    let serving = loop.spawn { () async throws(UVError) in
      for try await exchange in server { loop.spawn { await handler(exchange) } }
    }
    let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
    try await client(loop) {
      if secure { return try await loop.tls.connect(host: "127.0.0.1", port: port, context).value }
      return try await loop.tcp.connect(host: "127.0.0.1", port: port).value
    }
    server.close()
    try await serving.value
  }
}

/// Hears of the end of the turn of a loop in which it was made.
final class TurnEnd: Flushable {
  private(set) var hasCome = false

  init(_ loop: EventLoop) { loop.flushNextTurn(self) }

  package func flush() { hasCome = true }
}

/// Makes the certificates of the tests, once. The program that makes them opens descriptors, which a test
/// that runs at the same time would take for its own. So every test waits for that.
func makeCertificates() { _ = Certificates.shared }

/// The bodies of answers that have a length.
///
/// - Parameter head: The number of the answer to HEAD.
func bodies(of text: String, head headNumber: Int? = nil) -> [String] {
  var rest = Substring(text)
  var bodies: [String] = []
  while let end = rest.range(of: "\r\n\r\n") {
    let head = rest[..<end.lowerBound]
    let count = head.split(separator: "content-length: ").dropFirst().first.flatMap {
      Int($0.prefix { $0.isNumber })
    }
    let length = bodies.count == headNumber ? 0 : count ?? 0
    bodies.append(String(rest[end.upperBound...].prefix(length)))
    rest = rest[end.upperBound...].dropFirst(length)
  }
  return bodies
}
#endif
