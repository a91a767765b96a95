#if Everything
import Testing
import UV

@testable import UVHTTP

/// An answer's head, the clause of RFC 9112 that it is about, and what has to become of it.
struct Answer: CustomTestStringConvertible, Sendable {
  let clause: String
  let text: String
  /// Where the body ends and whether the connection goes on, or nil if the answer is refused.
  let outcome: String?
  let question: String

  init(_ clause: String, _ text: String, _ outcome: String?, _ question: String = "GET") {
    (self.clause, self.text, self.outcome, self.question) = (clause, text, outcome, question)
  }

  var testDescription: String { "\(clause): \(text.debugDescription.prefix(80))" }
}

@Suite struct AnswerHeadTests {
  static let answers = [
    Answer("4 status line", "HTTP/1.1 200 OK\r\n\r\n", "200 close"),
    Answer("4 no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 none"),
    Answer("4 no reason, no space", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 none"),
    Answer("4 another reason", "HTTP/1.1 404 No such thing\r\nContent-Length: 1\r\n\r\n", "404 length(1)"),
    Answer("4 bytes beyond ASCII in the reason", "HTTP/1.1 200 é\r\nContent-Length: 0\r\n\r\n", "200 none"),
    Answer("4 two digits", "HTTP/1.1 20 OK\r\n\r\n", nil),
    Answer("4 four digits", "HTTP/1.1 2000 OK\r\n\r\n", nil),
    Answer("4 no number", "HTTP/1.1 2x0 OK\r\n\r\n", nil),
    Answer("4 too small", "HTTP/1.1 099 OK\r\n\r\n", nil),
    Answer("4 something before", "\r\nHTTP/1.1 200 OK\r\n\r\n", nil),
    Answer("4 a control character in the reason", "HTTP/1.1 200 O\u{0}K\r\n\r\n", nil),
    Answer("2.2 bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", nil),
    Answer("2.2 bare CR", "HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n", nil),
    Answer("2.3 HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n", "200 length(2) close"),
    Answer(
      "2.3 HTTP/1.0 that goes on", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n",
      "200 length(2)"),
    Answer("2.3 a later minor version", "HTTP/1.9 200 OK\r\nContent-Length: 0\r\n\r\n", "200 none"),
    Answer("2.3 another version", "HTTP/2.0 200 OK\r\n\r\n", nil),
    Answer("2.3 another protocol", "SSH-2.0-OpenSSH\r\n", nil),
    Answer("2.3 small letters", "http/1.1 200 OK\r\n\r\n", nil),
    Answer("5.1 a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", nil),
    Answer("5.2 a folded line", "HTTP/1.1 204 OK\r\nA: b\r\n c\r\n\t\r\nD: e\r\n\r\n", "204 none"),
    Answer(
      "5.2 a folded line, and a body", "HTTP/1.1 200 OK\r\nContent-Length:\r\n 3\r\n\r\n a\r\n",
      "200 length(3)"),
    Answer("5.2 a length of two lines", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 3\r\n\r\n", nil),
    Answer("5.2 a blank before the first field", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n", nil),
    Answer(
      "5 a field of a request means nothing", "HTTP/1.1 204 OK\r\nExpect: x\r\nHost: a\r\nHost: b\r\n\r\n",
      "204 none"),
    Answer("6.1 chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "200 chunked"),
    Answer(
      "6.1 chunked and a length",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", nil),
    Answer("6.1 another encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", nil),
    Answer("6.1 not chunked last", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", nil),
    Answer("6.1 chunked of HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", nil),
    Answer("6.2 two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", nil),
    Answer("6.2 a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\n", nil),
    Answer("6.2 a sign", "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\n", nil),
    Answer("6.2 an overflow", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", nil),
    Answer("6.3 HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "200 none", "HEAD"),
    Answer("6.3 HEAD, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "200 none", "HEAD"),
    Answer("6.3 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 none"),
    Answer("6.3 204", "HTTP/1.1 204 No Content\r\n\r\n", "204 none"),
    Answer("6.3 interim", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "103 none"),
    Answer("6.3 CONNECT", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "200 tunnel", "CONNECT"),
    Answer(
      "6.3 CONNECT that fails", "HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\n", "403 length(9)", "CONNECT"),
    Answer(
      "9.6 close", "HTTP/1.1 200 OK\r\nConnection: a, Close\r\nContent-Length: 0\r\n\r\n", "200 none close"),
    Answer("8 not complete", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "incomplete"),
  ]

  @Test("The head of an answer is understood as RFC 9112 says, however its bytes come", arguments: answers)
  func heads(answer: Answer) {
    let expected = answer.outcome ?? "refused"
    let bytes = Bytes(answer.text)
    #expect(outcome([bytes.count], bytes, answer.question) == expected)
    for cut in 0..<bytes.count {
      #expect(outcome([cut, bytes.count], bytes, answer.question) == expected, "cut at \(cut)")
    }
    #expect(outcome(Array(0...bytes.count), bytes, answer.question) == expected, "a byte at a time")
  }

  @Test("The limits of a head count all of it")
  func limits() {
    var options = HTTPClientOptions()
    (options.fields, options.fieldCount) = (40, 3)
    func isRefused(_ text: String) -> Bool {
      outcome([text.utf8.count], Bytes(text), "GET", options.parsing) == "refused"
    }
    #expect(!isRefused("HTTP/1.1 204 OK\r\na: b\r\nc: d\r\ne: f\r\n\r\n"))
    #expect(isRefused("HTTP/1.1 204 OK\r\na: b\r\nc: d\r\ne: f\r\ng: h\r\n\r\n"))
    #expect(isRefused("HTTP/1.1 204 OK\r\na: 0123456789012345678901234567890123456789"))
    #expect(isRefused("HTTP/1.1 204 " + String(repeating: "a", count: 9000)))
  }

  /// Parses the bytes as they come: so many, then so many.
  private func outcome(
    _ ends: [Int], _ bytes: Bytes, _ question: String, _ limits: HTTPLimits = HTTPClientOptions().parsing
  ) -> String {
    var parser = ResponseParser(
      limits, ResponseParser.Question(isHead: question == "HEAD", isConnect: question == "CONNECT"))
    for end in ends {
      do throws(Refusal) {
        var come = Bytes(bytes[..<end])
        guard let head = try parser.parse(&come) else { continue }
        let framing =
          switch head.framing {
          case .body(let framing): " \(framing)"
          case .untilClose: ""
          case .tunnel: " tunnel"
          }
        return "\(head.status)\(framing)\(head.keepsAlive ? "" : " close")"
      } catch { return "refused" }
    }
    return "incomplete"
  }
}
#endif
