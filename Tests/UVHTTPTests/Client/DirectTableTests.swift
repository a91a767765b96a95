#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Which hosts no proxy is asked for, and which proxy others are.
@Suite struct DirectTableTests {
  @Test(
    "An element stands for a host and those below it, for addresses, and for a port if it has one",
    arguments: [
      (
        "example.com",
        ["example.com", "EXAMPLE.com", "a.example.com", "b.a.example.com", "example.com:8080"],
        ["notexample.com", "example.org", "com", "example.com.org"]
      ),
      (".example.com", ["example.com", "a.example.com"], ["notexample.com"]),
      ("*.example.com", ["example.com", "a.example.com"], ["notexample.com"]),
      ("Example.COM", ["example.com", "a.example.com"], []),
      (
        "example.com:8080", ["example.com:8080", "a.example.com:8080"],
        ["example.com", "example.com:80", "a.example.com"]
      ),
      ("example.com:80", ["example.com", "example.com:80"], ["example.com:81"]),
      ("localhost", ["localhost", "localhost:1", "a.localhost"], ["127.0.0.1", "local"]),
      ("*", ["example.com", "127.0.0.1", "[::1]:5"], []),
      ("127.0.0.1", ["127.0.0.1", "127.0.0.1:90"], ["127.0.0.2", "a.test", "1.127.0.0.1"]),
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255:1"], ["11.0.0.0", "9.255.255.255", "a.test"]),
      ("192.168.1.4/30", ["192.168.1.4", "192.168.1.7"], ["192.168.1.3", "192.168.1.8"]),
      ("::1", ["[::1]", "[::1]:80"], ["[::2]"]),
      ("[::1]", ["[::1]", "[::1]:80"], ["[::2]", "127.0.0.1"]),
      ("[::1]:90", ["[::1]:90"], ["[::1]", "[::1]:80"]),
      ("fd00::/8", ["[fd00::1]", "[fdff::]"], ["[fe00::1]", "10.0.0.1"]),
      ("no host", [], ["no", "host", "example.com"]), ("", [], ["example.com"]), (".", [], ["example.com"]),
    ] as [(String, [String], [String])])
  func direct(element: String, names: [String], others: [String]) throws {
    var options = HTTPClientOptions()
    options.proxy = HTTPProxy(host: "p", port: 1)
    options.direct = ["nothing.test", element]
    for (hosts, isDirect) in [(names, true), (others, false)] {
      for host in hosts {
        let origin = try #require(HTTPOrigin(scheme: "http", authority: host), "\(host)")
        #expect((options.proxy(for: origin) == nil) == isDirect, "\(host)")
        // Of several, one is enough.
        options.direct = [element, "nothing.test"]
        #expect((options.forwardingProxy(for: origin) == nil) == isDirect, "\(host)")
      }
    }
  }

  @Test func `Each scheme has its proxy, and what is tunnelled goes to no other`() throws {
    let (plain, secure) = (HTTPProxy(host: "plain", port: 1), HTTPProxy(host: "secure", port: 2))
    let http = try #require(HTTPOrigin(scheme: "http", authority: "a"))
    let https = try #require(HTTPOrigin(scheme: "https", authority: "a"))
    var upgraded = http
    upgraded.isTunnelled = true
    for (proxy, secureProxy, expected) in [
      (nil, nil, [nil, nil]), (plain, nil, ["plain", "plain"]), (nil, secure, [nil, "secure"]),
      (plain, secure, ["plain", "secure"]),
    ] as [(HTTPProxy?, HTTPProxy?, [String?])] {
      for tunnelsAll in [false, true] {
        var options = HTTPClientOptions()
        (options.proxy, options.secureProxy) = (proxy, secureProxy)
        options.proxy?.tunnelsAll = tunnelsAll
        options.secureProxy?.tunnelsAll = tunnelsAll
        #expect([http, https].map { options.proxy(for: $0)?.host } == expected)
        #expect(options.forwardingProxy(for: http)?.host == (tunnelsAll ? nil : expected[0]))
        #expect(options.forwardingProxy(for: https) == nil && options.forwardingProxy(for: upgraded) == nil)
      }
    }
  }

  @Test("A client keeps idle connections to so many origins, and those that are in use", arguments: 1...3)
  func origins(most: Int) async throws {
    try await withLoop { loop in
      let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      let servers = try (0..<5).map { _ in try ScriptedServer(loop) { _, _ in (ok, false) } }
      var options = HTTPClientOptions()
      options.origins = most
      let client = HTTPClient(loop, options: options)
      for (number, server) in servers.enumerated() {
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok")
        // By now the connection is back in the pool.
        try await loop.sleep(for: .milliseconds(1)).value
        #expect((1...most).contains(client.counts.idle), "after \(number + 1)")
        // The last one is kept in any case.
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok")
        #expect(server.connections.count == 1)
      }
      #expect(client.counts.created == 5 && client.counts.leases == 10)
      try await client.close().value
      for server in servers { server.close() }
    }
  }
}
#endif
