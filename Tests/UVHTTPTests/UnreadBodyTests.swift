#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A body that the program doesn't read, or reads in part: up to a limit its rest is dropped, and the connection goes on.
@Suite struct UnreadBodyTests {
  enum Reading: CaseIterable, Sendable { case nothing, onePart, answersWithin }

  private static let limit = 1000

  /// Whether the connection has served another request after one with a body of so many bytes.
  private static nonisolated(nonsending) func goesOn(
    _ server: HTTPServer, _ count: Int, isChunked: Bool, comesLater: Bool
  ) async throws -> Bool {
    let loop = server.loop
    let stream = try await loop.tcp.connect(to: server.localAddress()).value
    let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
    let content = String(repeating: "x", count: count)
    let body =
      isChunked ? (count == 0 ? "" : String(count, radix: 16) + "\r\n\(content)\r\n") + "0\r\n\r\n" : content
    let head = "POST /a HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n"
    let next = "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    for part in comesLater ? [head, body, next] : [head + body + next] where !part.isEmpty {
      // A server that ends the connection may have done so.
      guard (try? await stream.write(Bytes(part)).value) != nil else { break }
      for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
    }
    var answers = Bytes()
    while let part = try? await stream.next().value { answers = answers.followed(by: part) }
    stream.close()
    let text = String(decoding: answers, as: UTF8.self)
    #expect(text.contains("</a>"))
    return text.contains("</b>")
  }

  @Test(
    "A rest that is as long as the limit is dropped, and one that is longer ends the connection",
    arguments: Reading.allCases)
  func rest(reading: Reading) async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.unreadBody = Self.limit
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        let answer = {
          _ = exchange.respond(HTTPResponse(status: .ok), Bytes("<\(exchange.request.path ?? "")>")) { _ in }
        }
        switch reading {
        case _ where exchange.bodyLength == 0: answer()
        case .nothing: answer()
        case .onePart: exchange.body.next { _ in answer() }
        case .answersWithin: loop.sleep(for: .milliseconds(2)) { _ in answer() }
        }
      }
      for isChunked in [false, true] {
        for comesLater in [false, true] {
          for count in [1, Self.limit - 1, Self.limit, Self.limit + 1, Self.limit * 2, 20_000] {
            let goesOn = try await Self.goesOn(server, count, isChunked: isChunked, comesLater: comesLater)
            let name = "\(count), chunked: \(isChunked), later: \(comesLater)"
            if reading == .onePart {
              // What has been read doesn't count.
              if count <= Self.limit { #expect(goesOn, "\(name)") }
            } else {
              #expect(goesOn == (count <= Self.limit), "\(name)")
            }
          }
        }
      }
      server.close()
    }
  }

  @Test("A client that waits for leave to send a body gets an answer without, and the end") func expectation()
    async throws
  {
    try await withServer { exchange in
      try await exchange.respond(HTTPResponse(status: .ok), "a").value
    } client: { client in
      let answer = try await client.exchange(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(answer.contains("connection: close\r\n") && answer.hasSuffix("\r\n\r\na"))
      #expect(!answer.contains("100 Continue"))
    }
  }
}
#endif
