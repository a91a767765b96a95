#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// Requests that come behind something that is none.
@Suite struct AfterRefusalTests {
  /// Texts that are no request, and how each is refused.
  private static let wrong: [(text: String, status: Int)] = [
    ("nonsense\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
    ("GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
  ]

  @Test(arguments: 0..<wrong.count, [false, true])
  func `Nothing is handed out behind what is no request, also while an answer before it is missing`(
    number: Int, atOnce: Bool
  ) async throws {
    let wrong = Self.wrong[number]
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      var exchanges: [HTTPExchange] = []
      server.start { if case .success(let exchange?) = $0 { exchanges.append(exchange) } }
      let stream = try await loop.tcp.connect(to: server.localAddress()).value
      let (first, later) = (
        "GET /first HTTP/1.1\r\nHost: a\r\n\r\n", "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
      )
      stream.write(Bytes(first + wrong.text + (atOnce ? later : ""))) { _ in }
      try await loop.until { exchanges.count == 1 }
      try await loop.settle()
      if !atOnce {
        for _ in 0..<3 {
          stream.write(Bytes(later)) { _ in }
          try await loop.settle()
        }
      }
      #expect(exchanges.map(\.request.path) == ["/first"])
      try await exchanges[0].respond(HTTPResponse(status: .ok), "one").value
      let answers = String(decoding: try await stream.readToEnd(limit: 1 << 16).value, as: UTF8.self)
      #expect(answers.components(separatedBy: "\r\ndate: ").count == 3, "\(answers)")
      #expect(
        answers.contains("HTTP/1.1 200 OK\r\n") && answers.contains("HTTP/1.1 \(wrong.status) "), "\(answers)"
      )
      #expect(exchanges.count == 1)
      exchanges = []
      stream.close()
      server.close()
    }
  }
}
#endif
