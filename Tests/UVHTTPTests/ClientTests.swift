#if Everything
import Testing
import UVFutures
import UVPromises
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Clients that nobody here has written, other transports than TCP, and the other styles.
@Suite struct ClientTests {
  private static let get = Bytes("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

  @Test("Python's http.client sends a length, chunks and HEAD on one connection")
  func python() async throws {
    let script = """
      import http.client, sys
      c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
      def ask(*a, **k):
          c.request(*a, **k); r = c.getresponse(); print(r.status, r.read().decode(), r.will_close)
      ask("GET", "/a")
      ask("POST", "/b", body="abc")
      ask("PUT", "/c", body=iter([b"de", b"f"]), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
      ask("HEAD", "/d")
      ask("GET", "/e", headers={"Connection": "close"})
      """
    let output = try await Self.output("python3", ["-c", script]) { ["\($0)"] }
    #expect(
      output
        == "200 GET /a  False\n200 POST /b abc False\n200 PUT /c def False\n200  False\n200 GET /e  True\n")
  }

  @Test("curl waits for leave to send a body, reuses its connection, and speaks HTTP/1.0")
  func curl() async throws {
    let options = ["-sS", "-m", "20", "-w", " %{http_code} %{num_connects}\n"]
    let again = try await Self.output("curl", options) { port in
      ["-H", "Expect: 100-continue", "-d", "abc", "http://127.0.0.1:\(port)/a", "http://127.0.0.1:\(port)/b"]
    }
    #expect(again == "POST /a abc 200 1\nPOST /b abc 200 0\n")
    let old = try await Self.output("curl", options) { ["-0", "http://127.0.0.1:\($0)/c"] }
    #expect(old == "GET /c  200 1\n")
  }

  @Test("The server answers over pipes and over TLS as over TCP")
  func transports() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let tls = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let secured = loop.http.serve(tls)
      let serving = loop.spawn { try await answer(secured) }
      let port = Int(try tls.localAddress().port)
      let client = try await loop.tls.connect(
        host: "127.0.0.1", port: port, .client(trust: .certificates("\(certificates)/root.pem"))
      ).value
      try await client.write(Self.get).value
      let text = try await client.readToEnd(limit: 1000).value
      #expect(bodies(of: "\(text)") == ["GET /a "])
      client.close()
      secured.close()
      try await serving.value

      try await withTemporaryDirectory { directory in
        let listener = try loop.pipes.listen(path: "\(directory)/socket")
        let server = loop.http.serve(listener)
        let serving = loop.spawn { try await answer(server) }
        let client = try await loop.pipes.connect(path: "\(directory)/socket").value
        try await client.write(Self.get).value
        let text = try await client.readToEnd(limit: 1000).value
        #expect(bodies(of: "\(text)") == ["GET /a "])
        client.close()
        server.close()
        try await serving.value
      }
    }
  }

  @Test("Callbacks, promises and publishers answer as tasks do")
  func styles() async throws {
    makeCertificates()
    try await withLoop { loop in
      for style in 0..<3 {
        let server = try loop.http.listen(host: "127.0.0.1", port: 0)
        let address = try server.localAddress()
        var subscription: AnyCancellable?
        switch style {
        case 0:
          server.start { result in
            guard case .success(let exchange?) = result else { return }
            exchange.body.readToEnd(limit: 100) { body in
              exchange.respond(HTTPResponse(status: .ok), (try? body.get()) ?? "") { _ in }
            }
          }
        case 1:
          server.each { exchange in
            exchange.body.readToEnd(limit: 100).promise().then { body in
              exchange.respond(HTTPResponse(status: .ok), body).promise()
            }
          }.cauterize()
        default:
          subscription = server.publisher().flatMap { exchange in
            exchange.body.readToEnd(limit: 100).publisher().flatMap { body in
              exchange.respond(HTTPResponse(status: .ok), body).publisher()
            }
          }.sink { _ in
          } receiveValue: { _ in
          }
        }
        let client = try await loop.tcp.connect(to: address).value
        try await client.write(
          "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"
        ).value
        let text = try await client.readToEnd(limit: 1000).value
        #expect(bodies(of: "\(text)") == ["abc"], "style \(style)")
        client.close()
        server.close()
        withExtendedLifetime(subscription) {}
      }
    }
  }

  @Test("A graceful shutdown answers what is under way, ends idle connections, and cuts nothing off")
  func shutdown() async throws {
    makeCertificates()
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.lastSilence = .milliseconds(20)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let address = try server.localAddress()
      let idle = try await loop.tcp.connect(to: address).value
      let busy = try await loop.tcp.connect(to: address).value
      try await busy.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
      let exchange = try #require(try await server.next().value)
      let ending = loop.spawn { () async throws in
        try await loop.shutdownGracefully(within: .seconds(30)).value
      }
      while !loop.isShuttingDown { try await loop.sleep(for: .milliseconds(1)).value }
      try await exchange.respond(HTTPResponse(status: .ok), "last").value
      let text = try await busy.readToEnd(limit: 1000).value
      #expect("\(text)".contains("connection: close\r\n"))
      #expect(bodies(of: "\(text)") == ["last"])
      busy.close()
      #expect(try await idle.next().value == nil)
      idle.close()
      let report = try await ending.value
      #expect(report.count == 0)
    }
  }

  /// Runs a program against a server, and returns what it prints.
  private static func output(
    _ program: String, _ arguments: [String], _ more: @escaping @Sendable (_ port: Int) -> [String]
  ) async throws -> String {
    makeCertificates()
    return try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let address = try server.localAddress()
      let serving = loop.spawn { try await answer(server) }
      let port = Int(address.port)
      let child = try loop.processes.spawn(
        program, arguments + more(port), stdio: [.ignore, .pipe, .inherit])
      let output = try await #require(child.standardOutput).readToEnd(limit: 10_000).value
      let status = try await child.exit().value
      #expect(status.isSuccess)
      server.close()
      try await serving.value
      return "\(output)"
    }
  }
}

/// Answers each request with its method, its path and its body.
private nonisolated(nonsending) func answer(_ server: HTTPServer) async throws(UVError) {
  for try await exchange in server {
    let body = try await exchange.body.readToEnd(limit: 100).value
    let text = "\(exchange.request.method.rawValue) \(exchange.request.path ?? "") \(body)"
    try await exchange.respond(HTTPResponse(status: .ok), Bytes(text)).value
  }
}
#endif
