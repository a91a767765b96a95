#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// What ends a connection ends it wherever it stands among other requests: those before it are answered, it is answered
/// as it is alone, and those behind it aren't.
@Suite struct ConnectionEndTests {
  private static func get(_ path: String, _ fields: String = "", version: Int = 1) -> String {
    "GET \(path) HTTP/1.\(version)\r\nHost: a\r\n\(fields)\r\n"
  }

  private static func post(_ fields: String, _ body: String) -> String {
    "POST /read HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
  }

  private static let others = [
    get("/10"), get("/20000"), get("/70000"), get("/chunks"), "HEAD /10 HTTP/1.1\r\nHost: a\r\n\r\n",
    post("Content-Length: 3", "abc"), post("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"),
    get("/10", "Connection: keep-alive\r\n", version: 0),
  ]

  private static let ends = [
    get("/10", "Connection: close\r\n"), get("/20000", "Connection: close\r\n"),
    get("/70000", "Connection: Close\r\n"),
    get("/chunks", "Connection: close\r\n"), get("/10", version: 0), get("/20000", version: 0),
    get("/chunks", version: 0), get("/chunks", "Connection: keep-alive\r\n", version: 0), get("/close"),
    "HEAD /close HTTP/1.1\r\nHost: a\r\n\r\n", get("/closeInParts"),
    "nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n",
    get("/" + String(repeating: "x", count: 9000)),
    get("/", "A: \(String(repeating: "x", count: 33000))\r\n"),
    post("Content-Length: 2000000", "abc"), post("Transfer-Encoding: chunked", "x\r\n"),
    post("Transfer-Encoding: chunked", "3\r\nabcd\r\n0\r\n\r\n"),
    post("Transfer-Encoding: chunked\r\nContent-Length: 3", "abc"),
    post("Transfer-Encoding: gzip", "abc"), post("Content-Length: 3\r\nContent-Length: 4", "abc"),
    post("Content-Length: x", ""), post("Connection: close\r\nContent-Length: 3", "abc"),
  ]

  private static func answer(_ exchange: HTTPExchange) {
    var response = HTTPResponse(status: .ok, headerFields: [.date: "now"])
    let path = exchange.request.path ?? ""
    switch path {
    case "/chunks", "/closeInParts":
      if path != "/chunks" { response.headerFields[.connection] = "close" }
      guard let writer = try? exchange.begin(response) else { return }
      for size in [5, 20_000, 3] { writer.write(Bytes(repeating: 98, count: size)) { _ in } }
      writer.finish { _ in }
    case "/read":
      exchange.body.readToEnd(limit: 100) { result in
        if case .success(let body) = result { exchange.respond(response, body) { _ in } }
      }
    case "/close":
      response.headerFields[.connection] = "close"
      exchange.respond(response, "the last") { _ in }
    default: exchange.respond(response, Bytes(repeating: 97, count: Int(path.dropFirst()) ?? 0)) { _ in }
    }
  }

  /// What comes to the connection's end, without dates that the server writes.
  private static nonisolated(nonsending) func exchange(_ parts: [Bytes], _ server: HTTPServer, ends: Bool)
    async throws
    -> String
  {
    let loop = server.loop
    let stream = try await loop.tcp.connect(to: server.localAddress()).value
    let reading = loop.spawn { () async throws(UVError) in try await stream.readToEnd(limit: 1 << 24).value }
    for part in parts {
      // The server may have gone by then.
      guard (try? await stream.write(part).value) != nil else { break }
      for _ in 0..<2 { try await loop.sleep(for: .zero).value }
    }
    if ends { _ = try? await stream.shutdown().value }
    let text = String(decoding: try await reading.value, as: UTF8.self)
    stream.close()
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).filter {
      !$0.hasPrefix("date: ") || $0 == "date: now"
    }
    .joined(separator: "\r\n")
  }

  @Test("The end of a connection has before it what was asked before, and nothing behind it")
  func everywhere() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      server.start { if case .success(let exchange?) = $0 { Self.answer(exchange) } }
      var alone: [String: String] = [:]
      for text in Self.others { alone[text] = try await Self.exchange([Bytes(text)], server, ends: true) }
      for text in Self.ends {
        alone[text] = try await Self.exchange([Bytes(text)], server, ends: false)
        #expect(
          alone[text]!.hasPrefix("HTTP/1.1 ") && alone[text]!.contains("connection: close"),
          "\(text.prefix(60))")
      }
      let draws = Draws(1)
      for end in Self.ends {
        for round in 0..<4 {
          let before = (0..<draws.draw(4)).map { _ in draws.one(of: Self.others) }
          let after = (0..<draws.draw(3)).map { _ in draws.one(of: Self.others) }
          let all = Bytes((before + [end] + after).joined())
          // All at once, cut somewhere, or right before or behind the end.
          let place = before.joined().utf8.count
          let cut = [all.count, draws.draw(all.count), place, place + end.utf8.count][round]
          let parts = [Bytes(all[..<cut]), Bytes(all[cut...])].filter { !$0.isEmpty }
          let found = try await Self.exchange(parts, server, ends: false)
          // The end of the client's half makes the answer the last one, so the field is left out of the comparison.
          func normal(_ text: String) -> String { text.replacing("connection: close\r\n", with: "") }
          let isRight = normal(found) == normal((before + [end]).map { alone[$0]! }.joined())
          #expect(isRight, "\(end.prefix(60)) behind \(before.map { $0.prefix(20) }), cut at \(cut)")
          #expect(found.components(of: "connection: close") == 1, "\(end.prefix(60))")
        }
      }
      server.close()
    }
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
#endif
