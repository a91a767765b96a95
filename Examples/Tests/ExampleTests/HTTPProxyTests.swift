import Testing
import UVHTTP

/// The example that passes on requests by HTTP to the servers that they name.
@Suite struct HTTPProxyTests {
  /// A server that says what it was asked for.
  private static func serve(_ server: HTTPServer) async throws(UVError) {
    for try await exchange in server {
      let request = exchange.request
      let body = try await exchange.body.readToEnd(limit: 1 << 20).value
      let names = request.headerFields.map(\.name.canonicalName).sorted().joined(separator: " ")
      var response = HTTPResponse(status: .ok)
      response.headerFields[.connection] = "keep-alive, x-own"
      response.headerFields[.eTag] = "\"1\""
      let text = "\(request.method) \(request.path ?? "") \(request.authority ?? ""): \(names), \(body.count)"
      switch request.path?.prefix(while: { $0 != "?" }) {
      case "/none": try await exchange.respond(HTTPResponse(status: .noContent)).value
      case "/length": try await exchange.respond(response, Bytes(text)).value
      default:
        let writer = try exchange.begin(response)
        try await writer.write(Bytes(text)).value
        try await writer.finish([.contentLanguage: "la"]).value
      }
    }
  }

  /// Runs the proxy and, on a loop, a server and the test.
  private func withProxy(
    _ options: [String] = [],
    _ body:
      nonisolated(nonsending) @escaping @Sendable (EventLoop, _ proxy: Int, _ server: Int) async throws
      -> Void
  ) async throws {
    let (proxy, port) = try RunningProgram.serving("Proxy", options)
    let number = try #require(Int(port))
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn { () async throws(UVError) in try await Self.serve(server) }
      try await body(loop, number, Int(server.localAddress().port))
      server.close()
      try await serving.value
    }
    proxy.terminate()
    #expect(try proxy.end() == ("ended; 0 connections were cut off\n", 0))
  }

  /// Sends a request, and reads the head of the answer and so many bytes.
  private static func ask(
    _ connection: TCPConnection, _ request: String, _ count: Int = 0
  ) async throws -> (head: String, body: Bytes?) {
    try await connection.write(Bytes(request)).value
    let head = try #require(try await connection.read(until: "\r\n\r\n", limit: 4096).value)
    return ("\(head)", count > 0 ? try await connection.read(exactly: count).value : nil)
  }

  @Test("Requests and their answers are passed on, without what concerns one connection alone")
  func forwarding() async throws {
    try await withProxy { loop, port, target in
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      defer { connection.close() }
      let url = "http://127.0.0.1:\(target)"
      let own = "x-own: 1\r\nconnection: x-own\r\nproxy-authorization: secret\r\nte: trailers\r\n"
      let expected = Bytes("GET /length?a 127.0.0.1:\(target): user-agent via, 0")
      let first = try await Self.ask(
        connection, "GET \(url)/length?a HTTP/1.1\r\nhost: other\r\nuser-agent: x\r\n\(own)\r\n",
        expected.count)
      #expect(
        first.head.hasPrefix("HTTP/1.1 200 OK\r\n")
          && first.head.contains("content-length: \(expected.count)"))
      #expect(first.head.lowercased().contains("\r\nvia: 1.1 swift-uv\r\n"), "\(first.head)")
      #expect(first.body == expected)
      // A body whose length isn't known, both ways, with a field after the answer's.
      let chunked = Bytes("POST / 127.0.0.1:\(target): transfer-encoding via, 5")
      let size = String(chunked.count, radix: 16)
      let tail = Bytes("\(size)\r\n\(chunked)\r\n0\r\nContent-Language: la\r\n\r\n")
      let second = try await Self.ask(
        connection,
        "POST \(url) HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
        tail.count)
      #expect(second.head.contains("\r\ntransfer-encoding: chunked"))
      #expect(second.body == tail)
      let head = try await Self.ask(connection, "HEAD \(url)/length HTTP/1.1\r\nhost: x\r\n\r\n")
      #expect(head.head.contains("\r\ncontent-length: "))
      let none = try await Self.ask(connection, "GET \(url)/none HTTP/1.1\r\nhost: x\r\n\r\n")
      #expect(none.head.hasPrefix("HTTP/1.1 204 ") && !none.head.contains("content-length"))
      let last = try await Self.ask(
        connection, "GET \(url)/none HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      #expect(last.head.contains("\r\nconnection: close"))
      #expect(try await connection.next().value == nil)
    }
  }

  @Test(
    "CONNECT opens a tunnel to the server that it names, over TLS to the proxy, too",
    arguments: [false, true])
  func tunnel(isSecure: Bool) async throws {
    let certificate = TestCertificate.shared
    try await withProxy(isSecure ? certificate.options : []) { loop, port, target in
      if isSecure {
        // curl speaks to the proxy by TLS, in a process of its own while this loop serves.
        let url = "http://127.0.0.1:\(target)/length"
        let options = [
          "-s", "-p", "-x", "https://localhost:\(port)", "--proxy-cacert", certificate.certificate,
        ]
        let output = try await loop.processes.run("curl", options + [url]).value
        #expect("\(output.standardOutput)".hasPrefix("GET /length 127.0.0.1:\(target): "))
        return
      }
      var options = HTTPClientOptions()
      options.proxy = HTTPProxy(host: "127.0.0.1", port: port)
      options.proxy?.tunnelsAll = true
      let client = HTTPClient(loop, options: options)
      for _ in 0..<2 {
        let body = try await client.get("http://127.0.0.1:\(target)/").value.body
        #expect(try await body.readToEnd(limit: 100).value == Bytes("GET / 127.0.0.1:\(target): , 0"))
      }
      #expect(client.counts.created == 1)
      try await client.close().value
    }
  }

  @Test("What the proxy can't do is answered, and the connection goes on")
  func failures() async throws {
    try await withProxy { loop, port, _ in
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      defer { connection.close() }
      for (request, status) in [
        ("GET /", 400), ("GET https://127.0.0.1/", 400), ("CONNECT 127.0.0.1:0", 400),
        ("CONNECT 127.0.0.1:1", 502), ("GET http://127.0.0.1:1/", 502),
      ] {
        try await connection.write(Bytes("\(request) HTTP/1.1\r\nhost: x\r\n\r\n")).value
        let head = "\(try #require(try await connection.read(until: "\r\n\r\n", limit: 4096).value))"
        #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(request)")
        let length = try #require(head.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) })
        #expect(try await connection.read(exactly: length).value?.count == length)
      }
    }
  }
}
