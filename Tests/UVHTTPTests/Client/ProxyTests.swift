#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Requests that go through a proxy, and which proxy that is.
@Suite struct ProxyTests {
  private static let ok: (Bytes, ends: Bool) = ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", false)

  @Test("A request without TLS goes to the proxy with its whole URL, or through a tunnel if that is wanted")
  func forms() async throws {
    try await withLoop { loop in
      // Two connections begin with CONNECT.
      let proxy = try ScriptedServer(loop) { connection, request in
        [2, 3].contains(connection) && request == 1 ? ("HTTP/1.1 200 OK\r\n\r\n", false) : Self.ok
      }
      var options = HTTPClientOptions()
      options.proxy = HTTPProxy(host: "127.0.0.1", port: proxy.port, authorization: "let me in")
      let client = HTTPClient(loop, options: options)
      for url in ["http://a.test:81/b?c", "http://A.test:81"] {
        #expect(await client.outcome(HTTPRequest(url: url)!) == "200 x")
      }
      let all = HTTPRequest(method: .options, scheme: "http", authority: "a.test:81", path: "*")
      #expect(await client.outcome(all) == "200 x")
      let lines = proxy.requests.map { $0.split(separator: "\r\n")[0] }
      #expect(
        lines == [
          "GET http://a.test:81/b?c HTTP/1.1", "GET http://A.test:81/ HTTP/1.1",
          "OPTIONS http://a.test:81 HTTP/1.1",
        ])
      #expect(proxy.requests.allSatisfy { $0.contains("Proxy-Authorization: let me in") })
      #expect(proxy.requests[0].contains("host: a.test:81"))
      #expect(client.counts.created == 1)
      // Another protocol needs a tunnel, which this proxy opens, and is the server at its end.
      let error = await failure { _ = try await client.webSocket("ws://a.test:81/").value }
      #expect(error?.code == .unexpectedAnswer && error?.message == "the server answered 200")
      #expect(proxy.requests.suffix(2).map { $0.prefix(4) } == ["CONN", "GET "])
      options.proxy?.tunnelsAll = true
      let tunnelling = HTTPClient(loop, options: options)
      #expect(await tunnelling.outcome(HTTPRequest(url: "http://a.test/d")!) == "200 x")
      #expect(
        proxy.requests.suffix(2).map { $0.split(separator: "\r\n")[0] } == [
          "CONNECT a.test:80 HTTP/1.1", "GET /d HTTP/1.1",
        ])
      // Those that are asked directly.
      options.direct = ["127.0.0.0/8"]
      let direct = HTTPClient(loop, options: options)
      #expect(await direct.outcome(HTTPRequest(url: "\(proxy.url)/e")!) == "200 x")
      #expect(proxy.requests.last?.hasPrefix("GET /e HTTP/1.1") == true)
      for client in [client, tunnelling, direct] { try await client.close().value }
      proxy.close()
    }
  }

  @Test("A tunnel opens after interim answers, and a proxy that refuses has an error of its own")
  func tunnel() async throws {
    try await withLoop { loop in
      let answers: [(Bytes, String)] = [
        ("HTTP/1.1 103 Early Hints\r\nA: b\r\n c\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "200 x"),
        ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "EUNEXPECTEDANSWER"),
        ("HTTP/1.1 101 No\r\n\r\n", "EUNEXPECTEDANSWER"),
        (Bytes(String(repeating: "HTTP/1.1 102 On\r\n\r\n", count: 20)), "EPROTO"),
      ]
      for size in [1, .max] {
        for (answer, outcome) in answers {
          let proxy = try ScriptedServer(loop, size: size) { _, request in
            request == 1 ? (answer, false) : Self.ok
          }
          var options = HTTPClientOptions()
          options.proxy = HTTPProxy(host: "127.0.0.1", port: proxy.port)
          options.proxy?.tunnelsAll = true
          let client = HTTPClient(loop, options: options)
          #expect(await client.outcome(HTTPRequest(url: "http://a.test/")!) == outcome)
          try await client.close().value
          proxy.close()
        }
      }
    }
  }

  @Test("The environment's variables name the proxies and the hosts without one")
  func environment() throws {
    var options = HTTPClientOptions()
    func proxy(_ url: String) throws -> String? {
      let request = try #require(HTTPRequest(url: url))
      return options.proxy(for: try #require(request.origin)).map { "\($0.host):\($0.port)" }
    }
    try options.takeProxies(from: [
      "http_proxy": "http://one:3128/", "HTTPS_PROXY": "two",
      "NO_PROXY": ".a.test, b.test:8080 10.0.0.0/8,[::1]:90",
    ])
    #expect(try proxy("http://c.test/") == "one:3128" && proxy("https://c.test/") == "two:80")
    for url in [
      "http://a.test", "https://x.a.test", "http://b.test:8080", "http://10.1.2.3", "http://[::1]:90/",
    ] {
      #expect(try proxy(url) == nil, "\(url)")
    }
    for url in ["http://xa.test", "http://b.test", "http://11.1.2.3", "http://[::1]/"] {
      #expect(try proxy(url) != nil, "\(url)")
    }
    // A client's field `Proxy` in a program of CGI.
    try options.takeProxies(from: ["HTTP_PROXY": "evil:80"])
    #expect(try proxy("http://a.test") == nil)
    try options.takeProxies(from: ["http_proxy": "one:1", "no_proxy": "*"])
    #expect(try proxy("http://a.test") == nil && proxy("https://a.test") == nil)
    try options.takeProxies(from: ["http_proxy": "one:1"])
    #expect(try proxy("http://a.test") == "one:1" && proxy("https://a.test") == nil)
    try options.takeProxies(from: ["all_proxy": "one:1", "http_proxy": ""])
    #expect(try proxy("http://a.test") == "one:1" && proxy("https://a.test") == "one:1")
    #expect(try HTTPProxy(url: "http://us%65r:pass@[::1]:90").authorization == "Basic dXNlcjpwYXNz")
    for (url, code) in [
      ("socks5://a", UVError.Code.notSupported), ("https://a", .notSupported), ("http://", .invalidArgument),
      ("a:b", .invalidArgument), ("http://%zz@a", .invalidArgument), ("a b", .invalidArgument),
    ] {
      #expect(throws: UVError(code, operation: "proxy"), "\(url)") {
        try options.takeProxies(from: ["all_proxy": url])
      }
    }
    #expect(try proxy("http://a.test") == "one:1")
  }
}
#endif
