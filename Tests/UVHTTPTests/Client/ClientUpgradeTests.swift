#if Everything
import Foundation
import Testing
import UVFutures
import UVPromises
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Connections that a client takes over for another protocol.
@Suite struct ClientUpgradeTests {
  // A child process that makes them beside a test would be counted among what the test has left open.
  init() { makeCertificates() }

  private static let switching: Bytes =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: Echo\r\n\r\n"
  private static let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private static func request(_ url: String, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    HTTPRequest(method: method, url: url, headerFields: [.upgrade: "other/2, echo"])!
  }

  /// Switches to a protocol that sends each line back.
  private nonisolated(nonsending) static func echo(_ server: HTTPServer) async throws(UVError) {
    for try await exchange in server {
      if exchange.request.headerFields[.upgrade] == nil {
        try await exchange.respond(HTTPResponse(status: .ok), "ok").value
        continue
      }
      let body = try await exchange.body.readToEnd(limit: 100).value
      var response = HTTPResponse(status: .switchingProtocols)
      response.headerFields[.upgrade] = "echo"
      let stream = try await exchange.upgrade(response).value
      exchange.loop.spawn {
        do {
          try await stream.write(Bytes("body \(body.count)\n")).value
          while let line = try await stream.readLine(limit: 100).value {
            try await stream.write([line, "\n"]).value
          }
        } catch { Issue.record(error) }
        stream.close()
      }
    }
  }

  @Test("The stream comes with what the server has sent already, written whole and a byte at a time")
  func handedOver() async throws {
    try await withLoop { loop in
      for size in [Int.max, 1] {
        let server = try ScriptedServer(loop, size: size) { _, _ in
          (Self.switching.followed(by: "first\nsec"), false)
        }
        let client = HTTPClient(loop)
        let answer = try await client.upgrade(Self.request(server.url)).value
        #expect(answer.status == .switchingProtocols && answer.headerFields[.upgrade] == "Echo")
        #expect(try await answer.body.next().value == nil)
        let head = try #require(server.requests.first).lowercased()
        #expect(head.hasSuffix("\r\nconnection: upgrade\r\nupgrade: other/2, echo"))
        let stream = try #require(answer.stream)
        #expect(stream.readTimeout == nil && stream.writeTimeout == nil)
        #expect(try await stream.readLine(limit: 100).value == "first")
        #expect(try await stream.read(exactly: 3).value == "sec")
        stream.close()
        server.close()
      }
    }
  }

  @Test("Our own server switches, over TCP and TLS, in each style, after a body, beyond the client's limits")
  func own() async throws {
    let certificates = Certificates.shared.directory
    let trust = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
    let identity = try TLSIdentity(
      certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
    try await withLoop { loop in
      for isSecure in [false, true] {
        let server =
          isSecure
          ? loop.http.serve(try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity)))
          : try loop.http.listen(host: "127.0.0.1", port: 0)
        let url = "http\(isSecure ? "s" : "")://127.0.0.1:\(try server.localAddress().port)/"
        let serving = loop.spawn { try await Self.echo(server) }
        var options = HTTPClientOptions()
        options.connections.resources = 1
        let client = HTTPClient(loop, options: options, security: loop.tls.client(trust))
        let answers = CustomSource<HTTPClientResponse>(loop, "answers") { _ in }
        client.upgrade(Self.request(url, .post), body: "abc") { result in
          if case .success(let answer) = result { answers.send(answer) }
        }
        client.upgrade(Self.request(url)).promise().done { answers.send($0) }.cauterize()
        let subscription = client.upgrade(Self.request(url)).publisher().sink { _ in
        } receiveValue: {
          answers.send($0)
        }
        var streams = [try #require(try await client.upgrade(Self.request(url)).value.stream)]
        for _ in 0..<3 { streams.append(try #require(try await answers.next().value?.stream)) }
        withExtendedLifetime(subscription) {}
        #expect(await client.outcome(HTTPRequest(url: url)!) == "200 ok")
        try await client.close().value
        var bodies: [Bytes] = []
        for stream in streams {
          bodies.append(try #require(try await stream.readLine(limit: 100).value))
          try await stream.write("still here\n").value
          #expect(try await stream.readLine(limit: 100).value == "still here")
          try await stream.shutdown().value
          #expect(try await stream.next().value == nil)
          stream.close()
        }
        #expect(bodies.map { "\($0)" }.sorted() == ["body 0", "body 0", "body 0", "body 3"])
        server.close()
        try await serving.value
      }
    }
  }

  @Test("A server that refuses, redirects, or switches to what nobody asked for")
  func refused() async throws {
    try await withLoop { loop in
      let moved: Bytes = "HTTP/1.1 307 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
      let server = try ScriptedServer(loop) { _, request in
        [(moved, false), (Self.ok, false), (Self.switching, false)][request - 1]
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      let client = HTTPClient(loop, options: options)
      let refusal = try await client.upgrade(Self.request(server.url)).value
      #expect(refusal.stream == nil && refusal.status == .ok)
      #expect(try await refusal.body.readToEnd(limit: 10).value == "ok")
      let answer = try await client.upgrade(Self.request(server.url)).value
      #expect(server.requests.count == 3 && server.connections.count == 1)
      let second = server.requests[1]
      #expect(second.hasPrefix("GET /b ") && second.hasSuffix("pgrade: other/2, echo"))
      answer.stream?.close()
      server.close()

      for (answer, field, outcome) in [
        ("HTTP/1.1 101 A\r\nUpgrade: echo, third\r\n\r\n", "echo", "EPROTO"),
        ("HTTP/1.1 101 A\r\n\r\n", "echo", "EPROTO"),
        ("HTTP/1.1 101 A\r\nUpgrade: \r\n\r\n", "echo", "EPROTO"),
        ("", " ,", "EINVAL"), ("", nil, "EINVAL"),
      ] as [(Bytes, String?, String)] {
        let server = try ScriptedServer(loop) { _, _ in (answer, false) }
        var request = HTTPRequest(url: server.url)!
        request.headerFields[.upgrade] = field
        await #expect { _ = try await client.upgrade(request).value } throws: {
          ($0 as? UVError)?.name == outcome
        }
        // Nobody asks by `send`, whatever the fields are.
        if let field, outcome == "EPROTO" {
          request.headerFields = [.upgrade: field]
          #expect(await client.outcome(request) == "EPROTO")
          #expect(!server.requests[1].lowercased().contains("upgrade"))
        }
        #expect(client.counts.leased == 0)
        server.close()
      }
      try await client.close().value
    }
  }

  @Test("Cancelling, deadlines and dropping end the connection, and no deadline is left after the switch")
  func ends() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { connection, _ in (connection < 3 ? "" : Self.switching, false) }
      var options = HTTPClientOptions()
      options.headTimeout = .milliseconds(20)
      let client = HTTPClient(loop, options: options)
      let request = Self.request(server.url)
      let task = loop.spawn { () async throws(UVError) in _ = try await client.upgrade(request).value }
      while server.requests.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      task.cancel()
      await #expect { try await task.value } throws: { ($0 as? UVError)?.isCancelled == true }
      await #expect { _ = try await client.upgrade(request).value } throws: {
        ($0 as? UVError)?.code == .timedOut
      }
      var answer: HTTPClientResponse? = try await client.upgrade(request).value
      let connection = try #require(server.connections.last)
      try await loop.sleep(for: .milliseconds(40)).value
      try await connection.write("later").value
      #expect(try await answer?.stream?.next().value == "later")
      answer = nil
      while !connection.isClosing { try await loop.sleep(for: .milliseconds(1)).value }
      #expect((client.counts.leased, client.counts.idle) == (0, 0))
      try await client.close().value
      server.close()
    }
  }

  private static let hasNode = ["/usr/bin/node", "/usr/local/bin/node"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("A server in Node switches, with bytes that come along", .enabled(if: hasNode))
  func node() async throws {
    let script = """
      const server = require("http").createServer((request, answer) => answer.end("plain"));
      server.on("upgrade", (request, socket, head) => {
        socket.write("HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: " +
          request.headers.upgrade.split(", ")[1] + "\\r\\n\\r\\nready\\n");
        socket.pipe(socket);
      });
      server.listen(0, "127.0.0.1", () => console.log(server.address().port));
      """
    try await withLoop { loop in
      let child = try loop.processes.spawn("node", ["-e", script], stdio: [.ignore, .pipe, .inherit])
      let output = try #require(child.standardOutput)
      let port = try await #require(output.readLine(limit: 100).value)
      let client = HTTPClient(loop)
      let url = "http://127.0.0.1:\(port)/"
      #expect(await client.outcome(HTTPRequest(url: url)!) == "200 plain")
      let stream = try #require(try await client.upgrade(Self.request(url)).value.stream)
      #expect(client.counts.created == 1)
      #expect(try await stream.readLine(limit: 100).value == "ready")
      try await stream.write("and back\n").value
      #expect(try await stream.readLine(limit: 100).value == "and back")
      stream.close()
      try await client.close().value
      try child.kill(.kill)
      _ = try await child.exit().value
      output.close()
    }
  }
}
#endif
