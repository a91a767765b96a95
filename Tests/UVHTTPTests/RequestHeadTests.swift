#if Everything
import Testing

@testable import UVHTTP

@Suite struct RequestHeadTests {
  private static let rest = "Host: a\r\n\r\n"

  @Test(
    "A request line is as RFC 9112, 3 says, or the status says what is wrong",
    arguments: [
      Message("3", "GET / HTTP/1.1\r\n\(rest)"),
      Message("2.2 an empty line before the request", "\r\nGET / HTTP/1.1\r\n\(rest)"),
      Message("2.2 two empty lines", "\r\n\r\nGET / HTTP/1.1\r\n\(rest)", 400),
      Message("2.2 bare LF after the request line", "GET / HTTP/1.1\n\(rest)", 400),
      Message("2.2 bare LF before the request", "\nGET / HTTP/1.1\r\n\(rest)", 400),
      Message("2.2 bare CR in the request line", "GET /\r HTTP/1.1\r\n\(rest)", 400),
      Message("2.2 CR CR LF", "GET / HTTP/1.1\r\r\n\(rest)", 400),
      Message("2.2 a blank before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
      Message("2.3 HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"),
      Message("2.3 a later minor version", "GET / HTTP/1.9\r\n\(rest)"),
      Message("2.3 another major version", "GET / HTTP/2.0\r\n\(rest)", 505),
      Message("2.3 the name in small letters", "GET / http/1.1\r\n\(rest)", 400),
      Message("2.3 two digits", "GET / HTTP/1.10\r\n\(rest)", 400),
      Message("2.3 no version", "GET /\r\n\(rest)", 400),
      Message("3 two spaces", "GET  / HTTP/1.1\r\n\(rest)", 400),
      Message("3 a tab", "GET\t/ HTTP/1.1\r\n\(rest)", 400),
      Message("3 a space at the end", "GET / HTTP/1.1 \r\n\(rest)", 400),
      Message("3 a space at the beginning", " GET / HTTP/1.1\r\n\(rest)", 400),
      Message("3.1 a method of one's own", "M-SEARCH / HTTP/1.1\r\n\(rest)"),
      Message("3.1 no token", "GE(T / HTTP/1.1\r\n\(rest)", 400),
      Message("3 a long method", String(repeating: "A", count: 65) + " / HTTP/1.1\r\n\(rest)", 501),
      Message("3.2 a space in the target", "GET /a b HTTP/1.1\r\n\(rest)", 400),
      Message("3.2 a byte beyond ASCII", "GET /\u{e9} HTTP/1.1\r\n\(rest)", 400),
      Message("3.2 NUL", "GET /\0 HTTP/1.1\r\n\(rest)", 400),
      Message("3.2 a fragment", "GET /#a HTTP/1.1\r\n\(rest)", 400),
      Message("3.2 a backslash", "GET /\\a HTTP/1.1\r\n\(rest)", 400),
      Message("3.2 neither a path nor a URI", "GET a HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.2 a URI", "GET http://a:80/b?c HTTP/1.1\r\n\(rest)"),
      Message("3.2.2 the scheme in capitals, no path", "GET HTTPS://a HTTP/1.1\r\n\(rest)"),
      Message("3.2.2 another scheme", "GET ftp://a/ HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.2 no host", "GET http:///b HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.2 a user", "GET http://u@a/ HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.3 CONNECT", "CONNECT a:443 HTTP/1.1\r\n\(rest)"),
      Message("3.2.3 CONNECT to an address of IPv6", "CONNECT [::1]:443 HTTP/1.1\r\n\(rest)"),
      Message("3.2.3 CONNECT without a port", "CONNECT a HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.3 CONNECT with a path", "CONNECT /a HTTP/1.1\r\n\(rest)", 400),
      Message("3.2.4 OPTIONS *", "OPTIONS * HTTP/1.1\r\n\(rest)"),
      Message("3.2.4 GET *", "GET * HTTP/1.1\r\n\(rest)", 400),
    ])
  func requestLine(_ message: Message) { check(message) }

  @Test(
    "A field is as RFC 9112, 5 says, and there is one host",
    arguments: [
      Message("3.2 no host", "\r\n", 400),
      Message("3.2 two hosts", "Host: a\r\nHost: a\r\n\r\n", 400),
      Message("3.2 an empty host", "Host:\r\n\r\n"),
      Message("3.2 a port", "Host: a:8080\r\n\r\n"),
      Message("3.2 an address of IPv6", "hOST: [::1]:8080\r\n\r\n"),
      Message("3.2 a port out of range", "Host: a:65536\r\n\r\n", 400),
      Message("3.2 a port that isn't a number", "Host: a:b\r\n\r\n", 400),
      Message("3.2 a path", "Host: a/b\r\n\r\n", 400),
      Message("3.2 a user", "Host: u@a\r\n\r\n", 400),
      Message("3.2 a list", "Host: a, b\r\n\r\n", 400),
      Message("5 no blank after the colon", "Host:a\r\n\r\n"),
      Message("5 blanks around the value", "Host: \t a \t\r\n\r\n"),
      Message("5.1 a space before the colon", "Host : a\r\n\r\n", 400),
      Message("5 no colon", "Host a\r\n\r\n", 400),
      Message("5 no name", ": a\r\n\r\n", 400),
      Message("5 a name that isn't a token", "Ho(st: a\r\n\r\n", 400),
      Message("5.2 a line that is folded", "Host: a\r\nX: a\r\n b\r\n\r\n", 400),
      Message("5 NUL in a value", "Host: a\r\nX: \0\r\n\r\n", 400),
      Message("5 DEL in a value", "Host: a\r\nX: \u{7f}\r\n\r\n", 400),
      Message("5 bytes beyond ASCII in a value", "Host: a\r\nX: \u{e9}\r\n\r\n"),
      Message("2.2 bare CR in a value", "Host: a\r\nX: a\rb\r\n\r\n", 400),
      Message("2.2 bare LF after a field", "Host: a\nX: b\r\n\r\n", 400),
      Message("2.2 bare LF as the last line", "Host: a\r\n\n", 400),
    ])
  func fields(_ message: Message) {
    check(Message(message.clause, "GET / HTTP/1.1\r\n" + message.text, message.status))
  }

  @Test(
    "The end of a body is found as RFC 9112, 6 says, or not at all",
    arguments: [
      Message("6.2 a length", "Content-Length: 5\r\n\r\n"),
      Message("6.3 two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
      Message("6.3 the same length twice", "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
      Message("6.3 a list of lengths", "Content-Length: 5, 5\r\n\r\n", 400),
      Message("6.2 a sign", "Content-Length: +5\r\n\r\n", 400),
      Message("6.2 a negative length", "Content-Length: -5\r\n\r\n", 400),
      Message("6.2 no length", "Content-Length:\r\n\r\n", 400),
      Message("6.2 a hexadecimal length", "Content-Length: 0x5\r\n\r\n", 400),
      Message("6.2 an overflow", "Content-Length: 18446744073709551621\r\n\r\n", 413),
      Message("6.2 more than the limit", "Content-Length: 1048577\r\n\r\n", 413),
      Message("7.4 other codings of the answer", "TE: gzip, trailers\r\nConnection: TE\r\n\r\n"),
      Message("6.1 chunked", "Transfer-Encoding: chunked\r\n\r\n"),
      Message("6.1 in capitals", "Transfer-Encoding: CHUNKED\r\n\r\n"),
      Message("6.3 a length beside chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      Message("6.3 chunked beside a length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
      Message("6.1 an encoding that is unknown", "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
      Message("6.3 chunked isn't last", "Transfer-Encoding: chunked, gzip\r\n\r\n", 400),
      Message("6.1 chunked twice", "Transfer-Encoding: chunked, chunked\r\n\r\n", 400),
      Message("6.3 not chunked", "Transfer-Encoding: identity\r\n\r\n", 400),
      Message("6.3 another character", "Transfer-Encoding: chunked\u{b}\r\n\r\n", 400),
      Message("6.3 almost chunked", "Transfer-Encoding: xchunked\r\n\r\n", 400),
      Message("6.1 two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      Message("6.3 an empty encoding", "Transfer-Encoding:\r\n\r\n", 400),
      Message("RFC 9110, 10.1.1", "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n"),
      Message("RFC 9110, 10.1.1 another expectation", "Expect: tea\r\n\r\n", 417),
    ])
  func body(_ message: Message) {
    check(Message(message.clause, "POST / HTTP/1.1\r\nHost: a\r\n" + message.text, message.status))
  }

  /// Addresses of IPv6, as RFC 3986, 3.2.2 has them, and what isn't one.
  private static let (addresses, others) = (
    [
      "::", "::1", "1::", "::ffff:192.0.2.1", "2001:db8::1", "2001:DB8::A", "1:2:3:4:5:6:7:8",
      "1:2:3:4:5:6:7::",
      "::2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:192.0.2.1", "::0.0.0.0", "0:0:0:0:0:0:0:0",
      "ffff::255.255.255.255",
    ],
    [
      "", ":", ":::", "...", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1:",
      ":1::",
      "1:2:3:4:5:6:7:8::", "::256.0.0.1", "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::1.2.3.4:1",
      "fe80::1%25eth0",
      "1:2:3:4:5:6:7:1.2.3.4", "192.0.2.1", "v1.a", "[::1]",
    ]
  )

  @Test("An address in brackets is one of IPv6, in a Host field, in a target and in CONNECT")
  func bracketed() {
    for (list, isRight) in [(Self.addresses, true), (Self.others, false)] {
      for address in list {
        let heads = [
          "GET / HTTP/1.1\r\nHost: [\(address)]:80\r\n\r\n",
          "GET http://[\(address)]/ HTTP/1.1\r\nHost: [\(address)]\r\n\r\n",
          "CONNECT [\(address)]:443 HTTP/1.1\r\nHost: [\(address)]:443\r\n\r\n",
        ]
        for head in heads {
          #expect((verdict(head).verdict != .refused(400)) == isRight, "\(head)")
          #expect((verdict(head).head != nil) == isRight, "\(head)")
        }
      }
    }
  }

  @Test("HTTP/1.0 has no transfer encoding (RFC 9112, 6.1), and CONNECT no body")
  func bodies() {
    #expect(verdict("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").verdict == .refused(400))
    #expect(
      verdict("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n").verdict == .refused(400))
  }

  @Test("The connection goes on as RFC 9112, 9.3 says")
  func keepAlive() {
    func keepsAlive(_ version: String, _ field: String) -> Bool? {
      verdict("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n").head?.keepsAlive
    }
    #expect(keepsAlive("1.1", "") == true)
    #expect(keepsAlive("1.1", "Connection: x, CLOSE\r\n") == false)
    #expect(keepsAlive("1.1", "Connection: closed\r\n") == true)
    #expect(keepsAlive("1.0", "") == false)
    #expect(keepsAlive("1.0", "Connection: keep-alive\r\n") == true)
    #expect(keepsAlive("1.0", "Connection: keep-alive\r\nConnection: close\r\n") == false)
  }

  @Test("A head says where its parts are, and what follows it stays")
  func parts() throws {
    let text =
      "\r\nPUT /a?b HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: upgrade\r\nContent-Length: 3\r\n\r\nabc"
    let head = try #require(verdict(text).head)
    let bytes = Bytes(text)
    #expect(Bytes(bytes[head.method]) == "PUT")
    #expect(Bytes(bytes[head.target]) == "/a?b")
    #expect(Bytes(bytes[head.end...]) == "abc")
    #expect(bytes[head.fields] == UInt8(ascii: "H"))
    #expect(head.framing == .length(3))
    #expect(head.hasUpgrade && !head.isSafe && !head.isHead && !head.isConnect)
  }

  @Test("Each limit has its status, whether its line has come completely or not")
  func limits() {
    var limits = HTTPLimits()
    (limits.requestLine, limits.fields, limits.fieldCount) = (40, 60, 3)
    let long = String(repeating: "a", count: 100)
    for end in ["", " HTTP/1.1\r\nHost: a\r\n\r\n"] {
      #expect(verdict("GET /\(long)\(end)", limits).verdict == .refused(414))
    }
    // With a second fault, such as a missing colon, either status is right: which one depends on how much has
    // come.
    for end in ["", "\r\n\r\n"] {
      #expect(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\(end)", limits).verdict == .refused(431))
      let name = end.isEmpty ? long : "\(long): b"
      #expect(verdict("GET / HTTP/1.1\r\nHost: a\r\n\(name)\(end)", limits).verdict == .refused(431))
    }
    #expect(
      verdict("GET / HTTP/1.1\r\nHost: a\r\na:\r\nb:\r\nc:\r\n\r\n", limits).verdict == .refused(431))
    #expect(verdict("GET / HTTP/1.1\r\nHost: a\r\na:\r\nb:\r\n\r\n", limits).verdict == .accepted(""))
  }

  private func check(_ message: Message) {
    let verdict = verdict(message.text).verdict
    #expect(verdict == (message.status.map { .refused($0) } ?? .accepted("")))
  }
}
#endif
