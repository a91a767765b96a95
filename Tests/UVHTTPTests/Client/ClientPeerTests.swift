#if Everything
import Foundation
import Testing
import UVFutures
import UVPromises
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The client with servers that nobody here has scripted: our own, Python's, nginx; TLS, and a proxy.
@Suite struct ClientPeerTests {
  // A child process that makes them beside a test would be counted among what the test has left open.
  init() { makeCertificates() }

  /// Serves answers that say what was asked.
  private nonisolated(nonsending) func serve(_ server: HTTPServer) async throws(UVError) {
    for try await exchange in server {
      let request = exchange.request
      if request.path == "/stream" {
        let writer = try exchange.begin(HTTPResponse(status: .ok))
        for try await part in exchange.body { try await writer.write(part).value }
        try await writer.finish([.init("count")!: "1"]).value
        continue
      }
      let body = try await exchange.body.readToEnd(limit: 1 << 20).value
      let text = "\(request.method.rawValue) \(request.path ?? "") \(body.count)"
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(text)).value
    }
  }

  @Test("Our own server answers over connections that are used again, up to the limit of them")
  func own() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let url = "http://127.0.0.1:\(try server.localAddress().port)"
      let serving = loop.spawn { try await serve(server) }
      var options = HTTPClientOptions()
      options.connections.resources = 3
      let client = HTTPClient(loop, options: options)
      try await loop.withTasks { tasks in
        for number in 0..<50 {
          tasks.spawn {
            let answer = try await client.get("\(url)/\(number)").value
            let text = try await answer.body.readToEnd(limit: 100).value
            #expect(text == Bytes("GET /\(number) 0"))
          }
        }
      }
      let created = client.counts.created
      #expect((1...3).contains(created))
      let post = HTTPRequest(method: .post, url: url + "/post")!
      #expect(
        await client.outcome(post, body: Bytes(String(repeating: "a", count: 300_000)))
          == "200 POST /post 300000")
      #expect(await client.outcome(HTTPRequest(method: .head, url: url)!) == "200 ")
      #expect(client.counts.created == created)
      try await client.close().value
      server.close()
      try await serving.value
    }
  }

  @Test("A body that comes bit by bit is sent chunked or with its length, and comes back while it is sent")
  func streams() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let url = "http://127.0.0.1:\(try server.localAddress().port)/stream"
      let serving = loop.spawn { try await serve(server) }
      let client = HTTPClient(loop)
      let request = HTTPRequest(method: .post, url: url)!
      func source(_ count: Int, then error: UVError? = nil) -> CustomSource<Bytes> {
        let source = CustomSource<Bytes>(loop, "body") { _ in }
        for number in 0..<count { source.send(Bytes("part \(number % 10)")) }
        source.finish(error)
        return source
      }
      for length in [nil, 600] {
        let answer = try await client.send(request, body: source(100), length: length).value
        #expect(try await answer.body.readToEnd(limit: 10_000).value.count == 600)
        #expect(answer.body.trailers == [.init("count")!: "1"])
      }
      #expect((client.counts.created, client.counts.idle) == (1, 1))
      // A body that fails, and those of another length than was said.
      for (body, length) in [
        (source(1, then: UVError(.noSuchFile, operation: "x")), nil), (source(1), 7), (source(2), 7),
      ] as [(CustomSource<Bytes>, Int?)] {
        await #expect {
          let answer = try await client.send(request, body: body, length: length).value
          _ = try await answer.body.readToEnd(limit: 100).value
        } throws: {
          [.noSuchFile, .invalidArgument].contains(($0 as? UVError)?.code)
        }
        #expect(client.counts.leased == 0)
      }
      try await client.close().value
      server.close()
      serving.cancel()
      _ = try? await serving.value
    }
  }

  @Test("Each style sends a request")
  func styles() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let url = "http://127.0.0.1:\(try server.localAddress().port)/"
      let serving = loop.spawn { try await serve(server) }
      let client = HTTPClient(loop)
      let answers = CustomSource<Bytes>(loop, "answers") { _ in }
      client.get(url) { result in
        guard case .success(let answer) = result else { return }
        answer.body.readToEnd(limit: 100) { if case .success(let bytes) = $0 { answers.send(bytes) } }
      }
      client.get(url).promise().then { $0.body.readToEnd(limit: 100).promise() }.done { answers.send($0) }
        .cauterize()
      let subscription = client.get(url).publisher().flatMap { $0.body.readToEnd(limit: 100).publisher() }
        .sink { _ in
        } receiveValue: {
          answers.send($0)
        }
      for _ in 0..<3 { #expect(try await answers.next().value == "GET / 0") }
      withExtendedLifetime(subscription) {}
      try await client.close().value
      server.close()
      try await serving.value
    }
  }

  @Test("https verifies the server, also through a proxy, which sees nothing but CONNECT")
  func tls() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let server = loop.http.serve(try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity)))
      let port = Int(try server.localAddress().port)
      let serving = loop.spawn { try await serve(server) }

      let proxy = try loop.http.listen(host: "127.0.0.1", port: 0)
      let proxyPort = Int(try proxy.localAddress().port)
      var targets: [String] = []
      let proxying = loop.spawn { () async throws(UVError) in
        for try await exchange in proxy {
          guard exchange.request.headerFields[.proxyAuthorization] == "let me in" else {
            try await exchange.respond(HTTPResponse(status: .proxyAuthenticationRequired)).value
            continue
          }
          targets.append("\(exchange.request.method.rawValue) \(exchange.request.authority ?? "")")
          let outside = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
          let inside = try await exchange.upgrade(HTTPResponse(status: .ok)).value
          func copy(_ from: ByteStream, _ to: ByteStream) {
            from.start { result in
              if case .success(let bytes?) = result { to.write(bytes) { _ in } } else { to.close() }
            }
          }
          copy(inside, outside)
          copy(outside, inside)
        }
      }

      let trust = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      var options = HTTPClientOptions()
      for isProxied in [false, true] {
        if isProxied {
          options.proxy = HTTPProxy(host: "127.0.0.1", port: proxyPort, authorization: "let me in")
        }
        let client = HTTPClient(loop, options: options, security: loop.tls.client(trust))
        for _ in 0..<2 {
          #expect(await client.outcome(HTTPRequest(url: "https://127.0.0.1:\(port)/a")!) == "200 GET /a 0")
        }
        #expect(client.counts.created == 1)
        try await client.close().value
        // The system knows no such root.
        let strict = HTTPClient(loop, options: options, security: loop.tls)
        #expect(await strict.outcome(HTTPRequest(url: "https://127.0.0.1:\(port)/a")!) == "TLS")
        try await strict.close().value
      }
      #expect(targets == ["CONNECT 127.0.0.1:\(port)", "CONNECT 127.0.0.1:\(port)"])
      options.proxy = HTTPProxy(host: "127.0.0.1", port: proxyPort)
      let refused = HTTPClient(loop, options: options, security: loop.tls.client(trust))
      #expect(await refused.outcome(HTTPRequest(url: "https://127.0.0.1:\(port)/a")!) == "EUNEXPECTEDANSWER")
      try await refused.close().value
      proxy.close()
      server.close()
      try await proxying.value
      try await serving.value
    }
  }

  @Test(
    "Python's http.server answers with lengths, listings, errors and closed connections",
    arguments: ["HTTP/1.0", "HTTP/1.1"])
  func python(version: String) async throws {
    try await withTemporaryDirectory { directory in
      try Data(repeating: 97, count: 200_000).write(to: URL(fileURLWithPath: "\(directory)/file"))
      let script = """
        import http.server, functools, sys
        class H(http.server.SimpleHTTPRequestHandler):
            protocol_version = "\(version)"
            def log_message(self, *a): pass
        s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(H, directory=sys.argv[1]))
        print(s.server_port, flush=True); s.serve_forever()
        """
      try await withLoop { loop in
        let child = try loop.processes.spawn(
          "python3", ["-c", script, "\(directory)"], stdio: [.ignore, .pipe, .inherit])
        let output = try #require(child.standardOutput)
        let port = try await #require(output.readLine(limit: 100).value)
        let client = HTTPClient(loop)
        let url = "http://127.0.0.1:\(port)"
        for _ in 0..<2 {
          let answer = try await client.get(url + "/file").value
          #expect(try await answer.body.readToEnd(limit: 1 << 20).value.count == 200_000)
        }
        #expect(await client.outcome(HTTPRequest(url: url)!).contains("href=\"file\""))
        #expect(await client.outcome(HTTPRequest(method: .head, url: url + "/file")!) == "200 ")
        #expect(await client.outcome(HTTPRequest(url: url + "/none")!).hasPrefix("404"))
        #expect(client.counts.created == (version == "HTTP/1.1" ? 1 : 5))
        try await client.close().value
        try child.kill(.kill)
        _ = try await child.exit().value
        output.close()
      }
    }
  }

  private static let hasNginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("nginx answers with files, chunks, and an end after some requests", .enabled(if: hasNginx))
  func nginx() async throws {
    try await withTemporaryDirectory { directory in
      let root = "\(directory)"
      try Data(repeating: 98, count: 300_000).write(to: URL(fileURLWithPath: "\(root)/file.html"))
      try await withLoop { loop in
        let probe = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let port = try probe.localAddress().port
        probe.close()
        let configuration = """
          daemon off; master_process off; pid \(root)/pid; error_log \(root)/error;
          events {}
          http { access_log off; client_body_temp_path \(root)/a; proxy_temp_path \(root)/b; fastcgi_temp_path \(root)/c;
            uwsgi_temp_path \(root)/d; scgi_temp_path \(root)/e; keepalive_requests 3;
            server { listen 127.0.0.1:\(port); root \(root); ssi on; location /none { return 204; } } }
          """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: "\(root)/conf"))
        try Data("<!--# echo var=\"host\" -->".utf8).write(to: URL(fileURLWithPath: "\(root)/ssi.html"))
        let child = try loop.processes.spawn(
          "nginx", ["-c", "\(root)/conf"], stdio: [.ignore, .ignore, .inherit])
        var options = HTTPClientOptions()
        options.connecting = RetryPolicy(attempts: 100, backoff: .constant(.milliseconds(50)))
        let client = HTTPClient(loop, options: options)
        let url = "http://127.0.0.1:\(port)"
        for _ in 0..<6 {
          let answer = try await client.get(url + "/file.html").value
          #expect(try await answer.body.readToEnd(limit: 1 << 20).value.count == 300_000)
        }
        #expect(client.counts.created == 2)
        let included = try await client.get(url + "/ssi.html").value
        #expect(included.headerFields[.transferEncoding] == "chunked")
        #expect(try await included.body.readToEnd(limit: 100).value == "127.0.0.1")
        #expect(await client.outcome(HTTPRequest(url: url + "/none")!) == "204 ")
        try await client.close().value
        try child.kill(.terminate)
        _ = try await child.exit().value
      }
    }
  }
}
#endif
