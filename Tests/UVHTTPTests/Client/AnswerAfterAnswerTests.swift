#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A client understands each answer as it would alone, whatever has come on the connection before, and however the bytes
/// come.
@Suite struct AnswerAfterAnswerTests {
  private static let head = "HTTP/1.1 200 OK\r\n"

  /// An answer, whether the connection ends behind it, and what a program gets.
  private struct Answer {
    var method = HTTPRequest.Method.get
    let text: String
    var ends = false
    let outcome: String
  }

  private static let answers = [
    Answer(text: "\(head)Content-Length: 5\r\n\r\nhello", outcome: "200 OK hello "),
    Answer(text: "\(head)Content-Length: 5\r\n\r\nworld", outcome: "200 OK world "),
    Answer(text: "\(head)Content-Length: 6\r\n\r\nworlds", outcome: "200 OK worlds "),
    Answer(text: "\(head)Content-Length: 0\r\n\r\n", outcome: "200 OK  "),
    Answer(
      text: "\(head)Content-Length: 20000\r\n\r\n" + String(repeating: "a", count: 20_000),
      outcome: "200 OK \(String(repeating: "a", count: 20_000)) "),
    Answer(
      text: "\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n",
      outcome: "200 OK abcde "),
    Answer(
      text: "\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n",
      outcome: "200 OK abc T=u"),
    Answer(text: "\(head)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", outcome: "200 OK  "),
    Answer(method: .head, text: "\(head)Content-Length: 5\r\n\r\n", outcome: "200 OK  "),
    Answer(method: .head, text: "\(head)Transfer-Encoding: chunked\r\n\r\n", outcome: "200 OK  "),
    Answer(text: "HTTP/1.1 204 No Content\r\n\r\n", outcome: "204 No Content  "),
    Answer(text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", outcome: "304 Not Modified  "),
    Answer(text: "HTTP/1.1 404\r\nContent-Length: 1\r\n\r\nx", outcome: "404  x "),
    Answer(text: "HTTP/1.1 200 Fine\r\nContent-Length: 1\r\n\r\nx", outcome: "200 Fine x "),
    Answer(
      text:
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n\(head)Content-Length: 1\r\n\r\ny",
      outcome: "200 OK y "),
    Answer(
      text: "\(head)X: \(String(repeating: "x", count: 3000))\r\nContent-Length: 1\r\n\r\nz",
      outcome: "200 OK z "),
    Answer(text: "\(head)X: a\r\n b\r\nContent-Length: 1\r\n\r\nf", outcome: "200 OK f "),
    Answer(
      text: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nk", outcome: "200 OK k "),
    Answer(text: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\no", ends: true, outcome: "200 OK o "),
    Answer(text: "\(head)\r\nto the end", ends: true, outcome: "200 OK to the end "),
    Answer(text: "\(head)Connection: close\r\nContent-Length: 1\r\n\r\nc", ends: true, outcome: "200 OK c "),
    Answer(text: "\(head)Content-Length: 1\r\n\r\nx and more", outcome: "200 OK x "),
  ]

  private nonisolated(nonsending) static func ask(_ client: HTTPClient, _ url: String, _ answer: Answer) async
    -> String
  {
    do throws(UVError) {
      let response = try await client.send(HTTPRequest(method: answer.method, url: url)!).value
      let text = try await response.body.readToEnd(limit: 1 << 20).value
      let trailers = response.body.trailers.map { "\($0.name)=\($0.value)" }.joined()
      return "\(response.status.code) \(response.status.reasonPhrase) \(text) \(trailers)"
    } catch { return error.name }
  }

  @Test("Each answer is the same in each place, whole and in pieces", arguments: [Int.max, 1, 7, 100])
  func sequences(size: Int) async throws {
    try await withLoop { loop in
      let draws = Draws(UInt64(size & 255))
      var next = Self.answers[0]
      let server = try ScriptedServer(loop, size: size) { _, _ in (Bytes(next.text), next.ends) }
      for round in 0..<(size == 1 ? 6 : 25) {
        let client = HTTPClient(loop)
        // A few kinds, so that the same comes again.
        let kinds = (0...draws.draw(4)).map { _ in draws.one(of: Self.answers) }
          .filter { size > 7 || $0.text.utf8.count < 1000 }
        for place in 0..<8 where !kinds.isEmpty {
          next = draws.one(of: kinds)
          let outcome = await Self.ask(client, server.url, next)
          let isRight = outcome == next.outcome
          #expect(isRight, "round \(round), \(place): \(outcome.prefix(60)), \(next.text.prefix(80))")
          // Some requests come when the connection has gone back.
          if draws.draw(2) == 0 { try await loop.sleep(for: .milliseconds(1)).value }
        }
        try await client.close().value
      }
      server.close()
    }
  }
}
#endif
