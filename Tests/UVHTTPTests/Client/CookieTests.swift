#if Everything
import HTTPTypes
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Which cookies a jar takes, and which requests get them (RFC 6265).
@Suite struct CookieTests {
  /// A jar whose time stands still.
  private static func jar(_ fields: (url: String, text: String)..., at time: Int = 1_000_000_000)
    -> HTTPCookieJar
  {
    let jar = HTTPCookieJar()
    jar.now = { HTTPDate(since1970: .seconds(time)) }
    for field in fields { jar.take([.setCookie: field.text], for: HTTPRequest(url: field.url)!) }
    return jar
  }

  private static func field(_ jar: HTTPCookieJar, _ url: String) -> String? {
    jar.field(for: HTTPRequest(url: url)!)
  }

  @Test(
    "A cookie goes to its host, or to its domain",
    arguments: [
      ("a.example.com", "a=1", "a.example.com", true), ("a.example.com", "a=1", "b.a.example.com", false),
      ("a.example.com", "a=1", "example.com", false), ("A.example.com:81", "a=1", "a.EXAMPLE.com:80", true),
      ("a.example.com", "a=1; Domain=example.com", "b.example.com", true),
      ("a.example.com", "a=1; domain = .Example.com ", "c.b.example.com", true),
      ("a.example.com", "a=1; Domain=example.com", "example.com", true),
      ("a.example.com", "a=1; Domain=example.com", "badexample.com", false),
      ("a.example.com", "a=1; Domain=b.example.com", "b.example.com", false),
      ("example.com", "a=1; Domain=a.example.com", "a.example.com", false),
      ("example.com", "a=1; Domain=com", "other.com", false),
      ("example.com", "a=1; Domain=.", "example.com", true),
      ("localhost", "a=1; Domain=localhost", "localhost", true),
      ("127.0.0.1", "a=1", "127.0.0.1", true), ("127.0.0.1", "a=1; Domain=127.0.0.1", "127.0.0.1", true),
      ("127.0.0.1", "a=1; Domain=0.0.1", "127.0.0.1", false), ("[::1]:8080", "a=1", "[::1]", true),
    ])
  func domains(host: String, text: String, other: String, isSent: Bool) {
    #expect(Self.field(Self.jar(("http://\(host)/", text)), "http://\(other)/") == (isSent ? "a=1" : nil))
  }

  @Test(
    "A cookie goes to what is below its path",
    arguments: [
      ("/", "a=1", "/b/c", true), ("/b/c", "a=1", "/b/d?e", true), ("/b/c", "a=1", "/b", true),
      ("/b/c", "a=1", "/bc", false), ("/b/c", "a=1", "/", false), ("/b/c?/d/e", "a=1", "/b/x", true),
      ("/", "a=1; Path=/b", "/b", true), ("/", "a=1; Path=/b", "/b/c", true),
      ("/", "a=1; Path=/b", "/bc", false),
      ("/", "a=1; Path=/b/", "/b", false), ("/", "a=1; Path=/b/", "/b/c", true),
      ("/b/c", "a=1; Path=d", "/b/e", true), ("/b/c", "a=1; Path=", "/b/e", true),
      ("/b/c", "a=1; Path=/x; Path=/", "/", true),
    ])
  func paths(path: String, text: String, other: String, isSent: Bool) {
    #expect(Self.field(Self.jar(("http://a.b\(path)", text)), "http://a.b\(other)") == (isSent ? "a=1" : nil))
  }

  @Test(
    "A cookie ends in time",
    arguments: [
      ("a=1; Max-Age=10", true, true), ("a=1; Max-Age=9", true, false), ("a=1; Max-Age=0", false, false),
      ("a=1; Max-Age=-1", false, false), ("a=1; Max-Age=99999999999999999999", true, true),
      ("a=1; Max-Age=x", true, true), ("a=1; Max-Age=", true, true),
      ("a=1; Expires=Sun, 09 Sep 2001 01:46:45 GMT", true, false),
      ("a=1; expires=Sun, 09-Sep-2001 01:46:45 GMT", true, false),
      ("a=1; Expires=Sun, 09 Sep 2001 01:46:40 GMT", false, false), ("a=1; Expires=soon", true, true),
      ("a=1; Expires=Sun, 09 Sep 2001 01:46:40 GMT; Max-Age=10", true, true),
    ])
  func times(text: String, isThere: Bool, isThereLater: Bool) {
    let jar = Self.jar(("http://a.b/", text))
    #expect(jar.cookies.isEmpty != isThere)
    #expect((Self.field(jar, "http://a.b/") != nil) == isThere)
    jar.now = { HTTPDate(since1970: .seconds(1_000_000_009)) }
    #expect((Self.field(jar, "http://a.b/") != nil) == isThereLater)
    #expect(jar.cookies.isEmpty != isThereLater)
  }

  @Test func `A cookie for https alone is neither sent nor set without it`() {
    let jar = Self.jar(
      ("https://a.b/", "a=1; Secure"), ("http://a.b/", "b=1; secure"), ("http://a.b/", "a=2"))
    #expect(Self.field(jar, "https://a.b/") == "a=1" && Self.field(jar, "http://a.b/") == nil)
    let promised = Self.jar(
      ("https://a.b/", "__Secure-a=1"), ("https://a.b/", "__Host-a=1; Secure"),
      ("https://a.b/", "__host-b=1; Secure; Path=/; Domain=a.b"),
      ("https://a.b/", "__Host-c=1; Secure; Path=/"))
    #expect(promised.cookies.map(\.name) == ["__Host-c"])
  }

  @Test(
    "What is no cookie is passed over, and a value is sent as it came",
    arguments: [
      ("a=1", "a=1"), (" a = 1 2 ; x", "a=1 2"), ("a=\"b\"", "a=\"b\""), ("a==b=", "a==b="), ("a=", "a="),
      ("=1", nil), ("a", nil), ("", nil), (";a=1", nil),
      ("a=" + String(repeating: "x", count: 4094), "a=" + String(repeating: "x", count: 4094)),
      ("a=" + String(repeating: "x", count: 4095), nil),
    ] as [(String, String?)])
  func texts(text: String, expected: String?) {
    #expect(Self.field(Self.jar(("http://a.b/", text)), "http://a.b/") == expected)
  }

  @Test func `Longer paths come first, then what was set first, and one cookie replaces another`() {
    let jar = Self.jar(
      ("http://a.b/", "a=1"), ("http://a.b/", "b=2; Path=/x"), ("http://a.b/", "c=3; Domain=a.b"),
      ("http://a.b/", "a=4; Path=/x"), ("http://a.b/", "a=5"))
    #expect(Self.field(jar, "http://a.b/x/y") == "b=2; a=4; a=5; c=3")
    jar.take([.setCookie: "a=; Max-Age=0"], for: HTTPRequest(url: "http://a.b/")!)
    #expect(Self.field(jar, "http://a.b/x/y") == "b=2; a=4; c=3")
    jar.removeAll(ofDomain: "other")
    #expect(jar.cookies.count == 3)
    jar.removeAll(ofDomain: "A.B")
    #expect(jar.cookies.isEmpty && Self.field(jar, "http://a.b/x/y") == nil)
  }

  @Test func `A jar holds so many, and gives up the oldest`() {
    let jar = Self.jar()
    for number in 0..<60 { jar.take([.setCookie: "n\(number)=1"], for: HTTPRequest(url: "http://a.b/")!) }
    #expect(jar.cookies.map(\.name) == (10..<60).map { "n\($0)" })
    for number in 0..<3000 { jar.take([.setCookie: "n=1"], for: HTTPRequest(url: "http://h\(number).b/")!) }
    #expect(jar.cookies.count == 3000 && jar.cookies.first?.domain == "h0.b")
    jar.removeAll()
    #expect(jar.cookies.isEmpty)
  }

  @Test(
    "A client sends back what it was given, also to the place of a redirect, and not beside cookies of the program's"
  )
  func client() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, request in
        request % 2 == 1
          ? (
            "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=1\r\nSet-Cookie: c=2; Path=/c\r\nContent-Length: 0\r\n\r\n",
            false
          )
          : ("HTTP/1.1 200 OK\r\nSet-Cookie: d=3\r\nContent-Length: 1\r\n\r\nx", false)
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      options.connections.resources = 1
      let client = HTTPClient(loop, options: options, cookies: HTTPCookieJar())
      for _ in 1...2 { _ = try await client.get(server.url).value.body.readToEnd(limit: 10).value }
      #expect(
        await client.outcome(HTTPRequest(url: server.url, headerFields: [.cookie: "mine=1"])!) == "200 x")
      let sent = server.requests.map { request in
        request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("cookie: ") }?.dropFirst(8)
      }
      #expect(sent == [nil, "a=1", "a=1; d=3", "a=1; d=3", "mine=1", "mine=1"])
      try await client.close().value
      server.close()
    }
  }

  @Test("A WebSocket gets the cookies of its host, and its answer may set some", arguments: [false, true])
  func webSocket(isSecure: Bool) async throws {
    makeCertificates()
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try listener.localAddress().port
      let server =
        isSecure
        ? loop.http.serve(try loop.tls.listen(over: listener, .server(identity))) : loop.http.serve(listener)
      let sent = Log<String?>()
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        sent.append(exchange.request.headerFields[.cookie])
        let fields: HTTPFields = [.setCookie: "b\(sent.values.count)=2; Secure"]
        if exchange.request.path == "/chat" {
          exchange.webSocket(headerFields: fields) { if case .success(let socket) = $0 { socket.close() } }
        } else {
          exchange.respond(HTTPResponse(status: .ok, headerFields: [.setCookie: "a=1"])) { _ in }
        }
      }
      let client = HTTPClient(
        loop, security: loop.tls.client(try .client(trust: .certificates("\(certificates)/root.pem"))),
        cookies: HTTPCookieJar())
      let place = "\(isSecure ? "s" : "")://127.0.0.1:\(port)"
      _ = try await client.get("http\(place)").value.body.readToEnd(limit: 10).value
      for _ in 0..<2 { try await client.webSocket("ws\(place)/chat").value.close().value }
      // Only a secure origin may set a cookie that is secure.
      #expect(sent.values == [nil, "a=1", isSecure ? "a=1; b2=2" : "a=1"])
      try await client.close().value
      server.close()
    }
  }

  @Test func `Of all bytes, those of controls but the tab are refused in a cookie`() {
    let origin = HTTPOrigin(scheme: "http", authority: "a.b")!
    for byte in 0...255 as ClosedRange<UInt8> {
      let character = Character(UnicodeScalar(byte))
      for text in [
        "a\(character)c=1", "a=1\(character)2", "a=1; Path=/\(character)x", "a=1; x\(character)=y",
      ] {
        // That ends the name before it has a value.
        if byte == UInt8(ascii: ";"), text.hasPrefix("a;") { continue }
        let cookie = HTTPCookie(text, from: origin, path: "/", now: HTTPDate(since1970: .zero))
        // As UTF-8 the others are more than one byte.
        let isTaken = byte == 9 || byte >= 32 && byte != 127
        #expect((cookie != nil) == isTaken, "byte \(byte) in \(text)")
      }
    }
  }
}
#endif
