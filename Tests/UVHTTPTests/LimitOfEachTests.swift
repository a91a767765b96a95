#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A limit of what a message may have is each message's own: those before it on the connection don't count, also when each
/// of them has met the limit.
@Suite struct LimitOfEachTests {
  /// What stands before the empty line of a head, `count` fields with what the head has.
  private static func head(_ first: String, _ count: Int, _ fields: String) -> String {
    let own = fields.split(separator: "\r\n").count
    return "\(first)\r\n\(fields)" + (own..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
  }

  /// A chunked body in which `trailers` fields follow, and the extensions have about so many bytes.
  private static func chunked(_ body: String, trailers: Int = 0, extensions: Int = 0) -> String {
    let (middle, half) = (body.utf8.count / 2, extensions / 2)
    let parts = [String(body.prefix(middle)), String(body.dropFirst(middle))].filter { !$0.isEmpty }
    let note = half > 1 ? ";" + String(repeating: "e", count: half - 1) : ""
    return parts.map { "\(String($0.utf8.count, radix: 16))\(note)\r\n\($0)\r\n" }.joined() + "0\r\n"
      + (0..<trailers).map { "X-\($0): y\r\n" }.joined() + "\r\n"
  }

  // MARK: Answers

  private static let ok = "HTTP/1.1 200 OK"
  private static let bodyLimit = 40, fieldLimit = 6

  /// The answers of a request and its redirects: `excess` is how much more than the limit there is of what it counts.
  private static let answers: [(name: String, answers: @Sendable (_ excess: Int) -> [String])] = [
    ("interim answers", { [interim(16 + $0, 1) + head(ok, 1, "Content-Length: 0\r\n")] }),
    ("interim fields", { [interim(3, fieldLimit + $0) + head(ok, 1, "Content-Length: 0\r\n")] }),
    ("interim and all", { [interim(16 + $0, fieldLimit) + head(ok, fieldLimit, "Content-Length: 0\r\n")] }),
    ("fields", { [head(ok, fieldLimit + $0, "Content-Length: 1\r\n") + "a"] }),
    ("a body", { [head(ok, 1, "Content-Length: \(bodyLimit + $0)\r\n") + text($0)] }),
    ("chunks", { [head(ok, 1, "Transfer-Encoding: chunked\r\n") + chunked(text($0))] }),
    (
      "trailers",
      { [head(ok, 2, "Transfer-Encoding: chunked\r\n") + chunked("ab", trailers: fieldLimit + $0)] }
    ),
    (
      "extensions",
      { [head(ok, 2, "Transfer-Encoding: chunked\r\n") + chunked("ab", extensions: 16384 + 4 * $0)] }
    ),
    (
      "redirects",
      { excess in
        (0..<3 + excess).map { head("HTTP/1.1 302 Found", 2, "Content-Length: 0\r\nLocation: /\($0)\r\n") }
          + [head(ok, 2, "Content-Length: 0\r\n")]
      }
    ),
  ]

  private static func text(_ excess: Int) -> String { String(repeating: "b", count: bodyLimit + excess) }

  private static func interim(_ count: Int, _ fields: Int) -> String {
    String(repeating: head("HTTP/1.1 103 Early Hints", fields, ""), count: count)
  }

  @Test(
    "Each answer may have as much as a client's limits say, and no more, whatever came before on the connection",
    arguments: [Int.max, 50], [true, false])
  func answers(size: Int, asksForInterim: Bool) async throws {
    try await withLoop { loop in
      let draws = Draws(UInt64(size & 255))
      var texts: [String] = []
      let server = try ScriptedServer(loop, size: size) { _, _ in (Bytes(texts.removeFirst()), false) }
      var options = HTTPClientOptions()
      options.connections.resources = 1
      (options.fieldCount, options.body, options.redirects) = (Self.fieldLimit, Self.bodyLimit, 3)
      func ask(_ client: HTTPClient) async -> String {
        let request = HTTPRequest(method: .get, url: server.url)!
        do throws(UVError) {
          let asking =
            asksForInterim ? client.send(request, onInterim: { _ in }) : client.send(request)
          let answer = try await asking.value
          _ = try await answer.body.readToEnd(limit: 1 << 20).value
          return "\(answer.status.code)"
        } catch { return error.name }
      }
      for (name, answers) in Self.answers where size == .max || name != "extensions" {
        let client = HTTPClient(loop, options: options)
        let before = server.connections.count
        // The same again and again, and then one after another.
        for round in 0..<20 {
          let others = Self.answers.filter { size == .max || $0.name != "extensions" }
          texts = round < 10 ? answers(0) : draws.one(of: others).answers(0)
          let outcome = await ask(client)
          #expect(outcome == "200", "\(name), answer \(round)")
        }
        #expect(server.connections.count == before + 1, "\(name)")
        texts = answers(1)
        let outcome = await ask(client)
        #expect(outcome != "200", "too many \(name)")
        try await client.close().value
      }
      server.close()
    }
  }

  // MARK: Requests

  private static func post(_ count: Int, _ fields: String) -> String {
    head("POST / HTTP/1.1", count, "Host: a\r\n\(fields)")
  }

  /// Requests, with so much more than the limit of what each counts.
  private static let requests: [(name: String, text: @Sendable (_ excess: Int) -> String)] = [
    (
      // With its end.
      "request line", { head("GET /\(String(repeating: "p", count: 48 + $0)) HTTP/1.1", 1, "Host: a\r\n") }
    ),
    ("fields", { head("GET / HTTP/1.1", fieldLimit + $0, "Host: a\r\n") }),
    ("a body", { post(2, "Content-Length: \(bodyLimit + $0)\r\n") + text($0) }),
    ("fields and a body", { post(fieldLimit + $0, "Content-Length: \(bodyLimit)\r\n") + text(0) }),
    ("chunks", { post(2, "Transfer-Encoding: chunked\r\n") + chunked(text($0)) }),
    (
      "trailers", { post(2, "Transfer-Encoding: chunked\r\n") + chunked("ab", trailers: fieldLimit + $0) }
    ),
    (
      "extensions", { post(2, "Transfer-Encoding: chunked\r\n") + chunked("ab", extensions: 32 + 4 * $0) }
    ),
  ]

  @Test(
    "Each request may have as much as a server's limits say, and no more, whatever came before on the connection",
    arguments: [true, false])
  func requests(pipelines: Bool) async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      (limits.requestLine, limits.fieldCount, limits.body) = (64, Self.fieldLimit, Self.bodyLimit)
      limits.chunkExtensions = 32
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        exchange.body.readToEnd(limit: 1000) { result in
          // The server itself answers what is too much.
          if case .success = result { exchange.respond(HTTPResponse(status: .ok)) { _ in } }
        }
      }
      let draws = Draws(pipelines ? 1 : 2)
      for (name, text) in Self.requests {
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: Int(server.localAddress().port))
          .value
        func status() async throws -> String? {
          let head = try await client.read(until: "\r\n\r\n", limit: 2000).value
          return head.map { "\("\($0)".dropFirst(9).prefix(3))" }
        }
        let texts = (0..<16).map { $0 < 8 ? text(0) : draws.one(of: Self.requests).text(0) } + [text(1)]
        if pipelines { try await client.write(Bytes(texts.joined())).value }
        for (place, text) in texts.enumerated() {
          if !pipelines { try await client.write(Bytes(text)).value }
          let status = try await status()
          #expect((status == "200") == (place < 16), "\(name), request \(place): \(status ?? "the end")")
        }
        client.close()
      }
      server.close()
    }
  }
}
#endif
