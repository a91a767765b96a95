#if Everything
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The client with servers that answer by the byte.
@Suite struct HTTPClientTests {
  // A child process that makes them beside a test would be counted among what the test has left open.
  init() { makeCertificates() }

  private static let bodies: [(method: HTTPRequest.Method, answer: Bytes, ends: Bool, outcome: String)] = [
    (.get, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, "200 hello"),
    (
      .get,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nA: b\r\n\r\n",
      false, "200 hello"
    ),
    (.get, "HTTP/1.1 200 OK\r\n\r\nhello", true, "200 hello"),
    (.get, "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", true, "200 hello"),
    (
      .get,
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
      false, "200 hi"
    ),
    (.head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, "200 "),
    (.get, "HTTP/1.1 204 No Content\r\n\r\n", false, "204 "),
    (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, "304 "),
    // Lengths that lie, and ends that come early.
    (.get, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", true, "EOF"),
    (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", true, "EOF"),
    (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", true, "EPROTO"),
    (.get, "HTTP/1.1 200 OK\r\nContent-Le", true, "EOF"),
    (.get, "", true, "EOF"),
    (.get, "SSH-2.0-OpenSSH\r\n", false, "EPROTO"),
    (.get, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n", false, "EPROTO"),
  ]

  @Test("Bodies end where RFC 9112, 6.3 says, written whole and a byte at a time", arguments: [Int.max, 1])
  func bodies(size: Int) async throws {
    try await withLoop { loop in
      for (method, answer, ends, outcome) in Self.bodies {
        let server = try ScriptedServer(loop, size: size) { _, _ in (answer, ends) }
        let client = HTTPClient(loop)
        let request = try #require(HTTPRequest(method: method, url: server.url + "/"))
        let found = await client.outcome(request)
        #expect(found == outcome, "\(answer)")
        try await client.close().value
        server.close()
      }
    }
  }

  @Test("A body that is cut in two at each byte is the same")
  func cuts() async throws {
    let answer: Bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n"
    try await withLoop { loop in
      for cut in 1..<answer.count {
        let server = try ScriptedServer(loop, size: cut) { _, _ in (answer, false) }
        let client = HTTPClient(loop)
        let response = try await client.get(server.url).value
        #expect(try await response.body.readToEnd(limit: 10).value == "abc", "cut at \(cut)")
        #expect(response.body.trailers == [HTTPField.Name("t")!: "u"])
        #expect(client.counts.idle == 1)
        try await client.close().value
        server.close()
      }
    }
  }

  @Test("A connection serves the next request, unless the answer or what follows it says otherwise")
  func keepAlive() async throws {
    try await withLoop { loop in
      let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      let last: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
      for (answer, count) in [(ok, 1), (last, 3), (ok.followed(by: "HTTP/1.1 200 OK\r\n"), 3)] {
        let server = try ScriptedServer(loop) { _, _ in (answer, false) }
        let client = HTTPClient(loop)
        for _ in 0..<3 { #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok") }
        #expect(server.connections.count == count, "\(answer)")
        // By now the connection is back in the pool.
        try await loop.sleep(for: .milliseconds(1)).value
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok")
        #expect(client.counts.leases == 4)
        #expect(server.requests.allSatisfy { $0.hasPrefix("GET / HTTP/1.1\r\nhost: 127.0.0.1:") })
        try await client.close().value
        server.close()
      }
    }
  }

  @Test("A request is sent again only if its connection had been idle, nothing had come, and it does no harm")
  func repeats() async throws {
    try await withLoop { loop in
      let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      // The first connection answers once, and ends when the second request has come.
      for (method, begun, outcome) in [
        (.get, "", "200 ok"), (.put, "", "200 ok"), (.post, "", "EOF"), (.get, "HTTP/1.1 2", "EOF"),
      ] as [(HTTPRequest.Method, Bytes, String)] {
        let server = try ScriptedServer(loop) { connection, request in
          connection == 1 && request == 2 ? (begun, true) : (ok, false)
        }
        let client = HTTPClient(loop)
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok")
        #expect(
          await client.outcome(HTTPRequest(method: method, url: server.url)!) == outcome, "\(method) \(begun)"
        )
        try await client.close().value
        server.close()
      }
      // A new connection is no idle one.
      let server = try ScriptedServer(loop) { _, _ in ("", true) }
      let client = HTTPClient(loop)
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "EOF")
      #expect(server.requests.count == 1)
      try await client.close().value
      server.close()
    }
  }

  @Test("A server that closes an idle connection costs no request")
  func closedWhileIdle() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, _ in ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true)
      }
      let client = HTTPClient(loop)
      for _ in 0..<3 {
        let request = HTTPRequest(method: .post, url: server.url)!
        #expect(await client.outcome(request) == "200 ok")
        while client.counts.idle > 0 { try await loop.sleep(for: .milliseconds(1)).value }
      }
      #expect(client.counts.gone == 3)
      try await client.close().value
      server.close()
    }
  }

  @Test("Deadlines end a request that waits for a head, for the rest of a body, and for a connection")
  func deadlines() async throws {
    try await withLoop { loop in
      let head: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"
      let limits: [(Bytes, (inout HTTPClientOptions) -> Void)] = [
        ("", { $0.headTimeout = .milliseconds(20) }), ("HTTP/1.1 2", { $0.headTimeout = .milliseconds(20) }),
        ("", { $0.total = .milliseconds(20) }), (head, { $0.total = .milliseconds(20) }),
        (head, { $0.idleTimeout = .milliseconds(20) }),
      ]
      for (answer, limit) in limits {
        let server = try ScriptedServer(loop) { _, _ in (answer, false) }
        var options = HTTPClientOptions()
        limit(&options)
        let client = HTTPClient(loop, options: options)
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "ETIMEDOUT")
        #expect((client.counts.leased, client.counts.idle) == (0, 0))
        try await client.close().value
        server.close()
      }
      var options = HTTPClientOptions()
      options.connections.resources = 1
      options.connections.wait = .milliseconds(20)
      let server = try ScriptedServer(loop) { _, _ in (head, false) }
      let client = HTTPClient(loop, options: options)
      var first: HTTPClientResponse? = try await client.get(server.url).value
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "ETIMEDOUT")
      withExtendedLifetime(first) {}
      first = nil
      try await client.close().value
      server.close()
    }
  }

  @Test("A request that is cancelled, and an answer that is dropped, free their connection at once")
  func cancelled() async throws {
    try await withLoop { loop in
      let half: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
      let server = try ScriptedServer(loop) { connection, _ in (connection == 1 ? "" : half, false) }
      var options = HTTPClientOptions()
      options.connections.resources = 1
      let client = HTTPClient(loop, options: options)
      let task = loop.spawn { () async throws(UVError) in _ = try await client.get(server.url).value }
      while server.requests.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      task.cancel()
      await #expect { try await task.value } throws: { ($0 as? UVError)?.isCancelled == true }
      #expect(client.counts.leased == 0)
      for _ in 0..<3 { _ = try await client.get(server.url).value }
      #expect(client.counts.leased == 0)
      // An iterator that is left keeps no connection.
      for try await part in try await client.get(server.url).value.body {
        #expect(part == "half")
        break
      }
      while client.counts.leased > 0 { try await loop.sleep(for: .milliseconds(1)).value }
      // A task that reads the body, and is cancelled.
      let reader = loop.spawn { () async throws(UVError) in
        for try await _ in try await client.get(server.url).value.body {}
      }
      while client.counts.leased == 0 { try await loop.sleep(for: .milliseconds(1)).value }
      reader.cancel()
      await #expect { try await reader.value } throws: { ($0 as? UVError)?.isCancelled == true }
      #expect((client.counts.leased, client.counts.dropped) == (0, 0))
      try await client.close().value
      server.close()
    }
  }

  @Test("What can't be sent is refused, and no field or path can begin another")
  func refused() async throws {
    try await withLoop { loop in
      let client = HTTPClient(loop)
      await #expect { _ = try await client.get("nonsense").value } throws: {
        ($0 as? UVError)?.name == "EINVAL"
      }
      let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/\r\nA: b")
      #expect(await client.outcome(request) == "EINVAL")
      #expect(
        await client.outcome(HTTPRequest(method: .get, scheme: "http", authority: "a\r\nB: c", path: "/"))
          == "EINVAL")
      #expect(
        await client.outcome(HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/")) == "EINVAL"
      )
      #expect(
        await client.outcome(HTTPRequest(method: .connect, scheme: nil, authority: "a:1", path: nil))
          == "EINVAL")
      #expect(await client.outcome(HTTPRequest(url: "http://127.0.0.1:1/")!) == "ECONNREFUSED")
      let server = try ScriptedServer(loop) { _, _ in ("", true) }
      #expect(await client.outcome(HTTPRequest(url: "https://127.0.0.1:\(server.port)/")!) == "ENOTSUP")
      try await client.close().value
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "EBADF")
      server.close()
    }
  }

  @Test("Redirects are followed by choice, with the method that RFC 9110 says")
  func redirects() async throws {
    try await withLoop { loop in
      var location = "/there"
      var code = 302
      let server = try ScriptedServer(loop) { _, request in
        request == 1
          ? (Bytes("HTTP/1.1 \(code) Moved\r\nLocation: \(location)\r\nContent-Length: 4\r\n\r\ngone"), false)
          : ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false)
      }
      for (redirects, status, method, second) in [
        (0, 302, .get, nil), (1, 302, .get, "GET /there"), (1, 302, .post, "GET /there"),
        (1, 303, .put, "GET /there"),
        (1, 307, .post, "POST /there"), (1, 308, .put, "PUT /there"), (1, 301, .head, "HEAD /there"),
        (1, 304, .get, nil), (1, 200, .get, nil),
      ] as [(Int, Int, HTTPRequest.Method, String?)] {
        code = status
        var options = HTTPClientOptions()
        options.redirects = redirects
        options.connections.resources = 1
        let client = HTTPClient(loop, options: options)
        let before = server.requests.count
        _ = await client.outcome(HTTPRequest(method: method, url: server.url)!)
        let after = server.requests[before...].dropFirst().first
        #expect(after?.split(separator: " HTTP").first.map(String.init) == second, "\(status) \(method)")
        try await client.close().value
      }
      // Another origin gets no secrets.
      let other = try ScriptedServer(loop) { _, _ in ("HTTP/1.1 204 OK\r\n\r\n", false) }
      (location, code) = (other.url + "/x", 307)
      var options = HTTPClientOptions()
      options.redirects = 5
      let client = HTTPClient(loop, options: options)
      var request = HTTPRequest(url: server.url)!
      request.headerFields = [.authorization: "secret", .cookie: "secret", .accept: "a"]
      #expect(await client.outcome(request) == "204 ")
      #expect(other.requests.count == 1 && !other.requests[0].contains("secret"))
      #expect(
        other.requests[0].contains("GET /x HTTP/1.1") && other.requests[0].lowercased().contains("accept: a"))
      try await client.close().value
      server.close()
      other.close()
    }
  }

  @Test("The error of a total that is over says so, also while the request waits for a connection")
  func totalWhileConnecting() async throws {
    try await withLoop { loop in
      // It accepts nobody, and so no handshake goes on.
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var options = HTTPClientOptions()
      options.total = .milliseconds(50)
      let client = HTTPClient(loop, options: options, security: loop.tls)
      let port = try listener.localAddress().port
      for scheme in ["http", "https"] {
        await #expect(throws: UVError(.timedOut, operation: "http", subject: "total, 0.05 seconds")) {
          _ = try await client.get("\(scheme)://127.0.0.1:\(port)/").value
        }
      }
      try await client.close().value
      listener.close()
    }
  }

  @Test("A redirect's body that doesn't end is given up in time, although the request has its answer")
  func redirectWithoutEnd() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { connection, _ in
        connection == 1
          ? ("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 10\r\n\r\nabc", false)
          : ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false)
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      options.total = .milliseconds(200)
      let client = HTTPClient(loop, options: options)
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok")
      try await loop.until { client.counts.leased == 0 }
      // Others have their answers meanwhile.
      #expect(await client.outcome(HTTPRequest(url: server.url + "/c")!) == "200 ok")
      try await client.close().value
      server.close()
    }
  }

  @Test("A request that was redirected before it had left goes on to leave")
  func redirectBeforeEnd() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var options = HTTPClientOptions()
      options.redirects = 1
      let client = HTTPClient(loop, options: options)
      let body = Bytes(repeating: 0x61, count: 20_000_000)
      let serving = loop.spawn { () async throws -> Int in
        let first = try await listener.accept().value
        _ = try await first.read(until: "\r\n\r\n", limit: 1000).value
        try await first.write("HTTP/1.1 303 See Other\r\nLocation: /b\r\nContent-Length: 3\r\n\r\na").value
        let second = try await listener.accept().value
        _ = try await second.read(until: "\r\n\r\n", limit: 1000).value
        try await second.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").value
        var count = 0
        while count < body.count, let bytes = try await first.next().value { count += bytes.count }
        try await first.write("bc").value
        try await loop.until { client.counts.leased == 0 }
        first.close()
        second.close()
        return count
      }
      let url = "http://127.0.0.1:\(try listener.localAddress().port)/"
      #expect(await client.outcome(HTTPRequest(method: .post, url: url)!, body: body) == "200 ok")
      #expect(try await serving.value == body.count)
      try await client.close().value
      listener.close()
    }
  }
}
#endif
