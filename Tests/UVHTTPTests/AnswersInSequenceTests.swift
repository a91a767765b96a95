#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// What a connection answers to requests is what it answers to each of them alone, one after the other: however the bytes
/// come, whatever was asked before, and whether the client waits.
@Suite struct AnswersInSequenceTests {
  private static func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static func post(_ path: String, _ fields: String, _ body: String) -> String {
    get(path, fields, method: "POST") + body
  }

  /// Requests that leave the connection open.
  private static let requests =
    ["0", "5", "10000", "16384", "16385", "20000", "70000", "200000"].map { get("/whole/\($0)") }
    + ["0", "5", "20000", "70000"].flatMap {
      [get("/chunks/\($0)"), get("/length/\($0)"), get("/file/\($0)"), get("/prepared/\($0)")]
    } + [
      get("/whole/5", method: "HEAD"), get("/chunks/20000", method: "HEAD"),
      get("/file/20000", method: "HEAD"),
      get("/none"), get("/dropped"), get("/inform/5"), get("http://b/whole/5"), get("*", method: "OPTIONS"),
      get("/whole/5", "X: \(String(repeating: "x", count: 3000))\r\n"),
      get("/whole/6", "X: \(String(repeating: "x", count: 5000))\r\n"),
      get("/whole/5", "X: y\r\n"), get("/whole/50"),
      post("/echo", "Content-Length: 5\r\n", "hello"), post("/echo", "Content-Length: 0\r\n", ""),
      post("/echo", "Content-Length: 20000\r\n", String(repeating: "a", count: 20000)),
      post("/echo", "Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"),
      post("/echo", "Transfer-Encoding: chunked\r\n", "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n"),
      post("/echo", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      post("/unread", "Content-Length: 5\r\n", "hello"),
      post("/unread", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
      post("/limited", "Content-Length: 5\r\n", "hello"), post("/limited", "Content-Length: 3\r\n", "hel"),
    ]

  private static let last = get("/whole/3", "Connection: close\r\n")
  private static let bytes = Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private static func serve(_ loop: EventLoop, _ file: File) throws -> HTTPServer {
    var limits = HTTPLimits()
    limits.pipelinedRequests = 4
    let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
    server.start { result in
      if case .success(let exchange?) = result { answer(exchange, file) }
    }
    return server
  }

  private static func answer(_ exchange: HTTPExchange, _ file: File) {
    let path = (exchange.request.path ?? "").split(separator: "/")
    let count = path.count > 1 ? Int(path[1]) ?? 0 : 0
    let body = Bytes(bytes[..<count])
    var response = HTTPResponse(status: .ok)
    response.headerFields[.date] = "now"
    switch path.first {
    case "chunks", "length":
      guard let writer = try? exchange.begin(response, length: path[0] == "length" ? count : nil) else {
        return
      }
      for start in stride(from: 0, to: count, by: 17_000) {
        writer.write(Bytes(body[start..<min(start + 17_000, count)])) { _ in }
      }
      writer.finish(path[0] == "chunks" ? [.eTag: "x"] : [:]) { _ in }
    case "file": exchange.respond(response, file: file, count: count) { _ in }
    case "prepared": exchange.respond(HTTPPreparedHead(response), body) { _ in }
    case "none":
      response.status = .noContent
      exchange.respond(response) { _ in }
    case "dropped": break
    case "inform":
      exchange.inform(HTTPResponse(status: .init(code: 103), headerFields: [.eTag: "a"])) { _ in }
      exchange.respond(response, body) { _ in }
    case "echo", "limited":
      exchange.body.readToEnd(limit: path[0] == "echo" ? 100_000 : 3) { result in
        guard case .success(let text) = result else { return }
        let trailers = exchange.body.trailers.map { "\($0.name): \($0.value)" }
        exchange.respond(response, joined([text, Bytes(trailers.joined())])) { _ in }
      }
    default: exchange.respond(response, body) { _ in }
    }
  }

  private static func joined(_ parts: [Bytes]) -> Bytes { Bytes(parts.flatMap { Array($0) }) }

  /// The answers without the date, which the server writes for those of its own.
  private static func withoutDate(_ answer: Bytes) -> [UInt8] {
    let (start, length) = (Array("date: ".utf8), 37)
    var (kept, place): ([UInt8], Int) = ([], 0)
    let all = Array(answer)
    while place < all.count {
      if all[place] == start[0], all[place...].starts(with: start), place + length <= all.count,
        all[place + length - 1] == 10
      {
        place += length
      } else {
        kept.append(all[place])
        place += 1
      }
    }
    return kept
  }

  /// Sends what is in `parts`, each in a turn of its own, and reads to the end.
  private static nonisolated(nonsending) func exchange(_ parts: [Bytes], _ server: HTTPServer) async throws
    -> [UInt8]
  {
    let loop = server.loop
    let stream = try await loop.tcp.connect(to: server.localAddress()).value
    let reading = loop.spawn { () async throws(UVError) in try await stream.readToEnd(limit: 1 << 24).value }
    for part in parts {
      try await stream.write(part).value
      for _ in 0..<2 { try await loop.sleep(for: .zero).value }
    }
    let answer = try await reading.value
    stream.close()
    return withoutDate(answer)
  }

  private static func cut(_ bytes: Bytes, _ draws: Draws) -> [Bytes] {
    // All at once, or in some parts that are often short.
    var places = [0, bytes.count]
    for _ in 0..<(draws.draw(4) * 4) { places.append(draws.draw(bytes.count)) }
    for _ in 0..<draws.draw(8) { places.append(draws.draw(min(200, bytes.count))) }
    places.sort()
    return zip(places, places.dropFirst()).filter { $0 < $1 }.map { Bytes(bytes[$0..<$1]) }
  }

  @Test("Requests are answered as if each was alone, however their bytes come")
  func sequences() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        try await loop.files.writeFile("\(directory)/file", Self.bytes).value
        let file = try await loop.files.open("\(directory)/file").value
        let server = try Self.serve(loop, file)
        let end = try await Self.exchange([Bytes(Self.last)], server)
        var alone: [[UInt8]] = []
        for request in Self.requests {
          let both = try await Self.exchange([Bytes(request), Bytes(Self.last)], server)
          #expect(
            both.suffix(end.count).elementsEqual(end) && both.count > end.count + 15, "\(request.prefix(80))")
          alone.append(Array(both.dropLast(end.count)))
        }
        let draws = Draws(1)
        for round in 0..<40 {
          // A few kinds, so that the same comes again.
          let kinds = (0...draws.draw(4)).map { _ in draws.draw(Self.requests.count) }
          let chosen = (0..<(2 + draws.draw(6))).map { _ in draws.one(of: kinds) }
          let all = Bytes(chosen.map { Self.requests[$0] }.joined() + Self.last)
          let found = try await Self.exchange(Self.cut(all, draws), server)
          let expected = chosen.flatMap { alone[$0] } + end
          let texts = chosen.map { Self.requests[$0].prefix { $0 != "\r\n" } }
          // Not by an operand, which would be shown.
          let isRight = found == expected
          #expect(isRight, "round \(round): \(texts), \(found.count) and not \(expected.count) bytes")
        }
        server.close()
        try await file.close().value
      }
    }
  }

  @Test("A head that has come twice, the second time in two parts, leaves the third request as it is")
  func headInTwoParts() async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.headTimeout = .milliseconds(150)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        exchange.respond(HTTPResponse(status: .ok), Bytes("<\(exchange.request.path ?? "")>")) { _ in }
      }
      let request = Bytes(Self.get("/a"))
      let stream = try await loop.tcp.connect(to: server.localAddress()).value
      for cut in 1..<request.count {
        for part in [Bytes(request[..<cut]), Bytes(request[cut...])] {
          try await stream.write(part).value
          try await loop.sleep(for: .milliseconds(1)).value
        }
        #expect(
          try await stream.read(until: "</a>", limit: 1000).value?.starts(with: Bytes("HTTP/1.1 200 "))
            == true)
        try await stream.write(Bytes(Self.get("/longer/\(cut)"))).value
        let answer = try await stream.read(until: Bytes("</longer/\(cut)>"), limit: 1000).value
        #expect(answer?.starts(with: Bytes("HTTP/1.1 200 ")) == true, "cut at \(cut)")
      }
      // Between two requests no head is under way.
      try await loop.sleep(for: .milliseconds(300)).value
      try await stream.write(Bytes(Self.get("/b"))).value
      #expect(try await stream.read(until: "</b>", limit: 1000).value != nil)
      stream.close()
      server.close()
    }
  }
}
#endif
