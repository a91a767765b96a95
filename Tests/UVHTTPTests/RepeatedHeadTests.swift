#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A head that a client sends again, which a server needn't parse again.
@Suite struct RepeatedHeadTests {
  private static func serve(_ loop: EventLoop, _ limits: HTTPLimits = HTTPLimits()) throws -> HTTPServer {
    let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
    server.start { result in
      guard case .success(let exchange?) = result else { return }
      exchange.body.readToEnd(limit: 100) { result in
        let body = (try? result.get()) ?? "an error"
        let text = "\(exchange.request.path ?? "") \(exchange.request.authority ?? "") \(body)."
        exchange.respond(HTTPResponse(status: .ok), Bytes(text)) { _ in }
      }
    }
    return server
  }

  private static let post: Bytes = "POST /a HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\n"

  @Test("It is the same request, cut at each byte, and together with others")
  func again() async throws {
    try await withLoop { loop in
      let server = try Self.serve(loop)
      let connection = try await loop.tcp.connect(to: server.localAddress()).value
      for cut in 1...Self.post.count {
        try await connection.write(Bytes(Self.post[..<cut])).value
        try await loop.sleep(for: .zero).value
        let body = Bytes("\(100 + cut)")
        try await connection.write([Bytes(Self.post[cut...]), body]).value
        let answer = try await connection.read(until: Bytes("/a b \(body)."), limit: 200).value
        #expect(answer?.starts(with: "HTTP/1.1 200 OK\r\n") == true, "cut at \(cut)")
      }
      let get: Bytes = "GET /c HTTP/1.1\r\nHost: b\r\n\r\n"
      try await connection.write([get, get, Self.post, "def", get, Self.post, "ghi", Self.post, "jkl"]).value
      for end in ["/c b ", "/c b ", "/a b def", "/c b ", "/a b ghi", "/a b jkl"] {
        #expect(try await connection.read(until: Bytes("\r\n\r\n\(end)."), limit: 200).value != nil)
      }
      connection.close()
      server.close()
    }
  }

  @Test("Each time it gives leave to send the body, and ends the connection if it says so")
  func meaning() async throws {
    try await withLoop { loop in
      let server = try Self.serve(loop)
      for ends in [false, false, true, true] {
        let connection = try await loop.tcp.connect(to: server.localAddress()).value
        for _ in 0..<(ends ? 1 : 3) {
          let fields = "Expect: 100-continue\r\nContent-Length: 3\r\n" + (ends ? "Connection: close\r\n" : "")
          try await connection.write(Bytes("POST /a HTTP/1.1\r\nHost: b\r\n\(fields)\r\n")).value
          let leave = try await connection.read(until: "\r\n\r\n", limit: 200).value
          #expect(leave?.starts(with: "HTTP/1.1 100 Continue") == true)
          try await connection.write("def").value
          #expect(try await connection.read(until: "\r\n\r\n/a b def.", limit: 200).value != nil)
        }
        if ends { #expect(try await connection.next().value == nil) }
        connection.close()
      }
      server.close()
    }
  }

  @Test("Another server has limits of its own")
  func limits() async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.requestLine = 16
      let servers = try (Self.serve(loop), Self.serve(loop, limits))
      for (server, status) in [
        (servers.0, "200"), (servers.0, "200"), (servers.1, "414"), (servers.0, "200"),
      ] {
        let connection = try await loop.tcp.connect(to: server.localAddress()).value
        try await connection.write("GET /0123456789 HTTP/1.1\r\nHost: b\r\n\r\n").value
        let answer = try await connection.read(until: "\r\n", limit: 200).value
        #expect(answer?.starts(with: Bytes("HTTP/1.1 \(status) ")) == true)
        connection.close()
      }
      servers.0.close()
      servers.1.close()
    }
  }
}
#endif
