#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// What a request says beside its head and its body: leave to send it, and fields after it. And sockets of the
/// Unix domain, over which a client sends the same.
@Suite struct ClientRequestTests {
  // A child process that makes them beside a test would be counted among what the test has left open.
  init() { makeCertificates() }

  private static func post(_ url: String, _ fields: HTTPFields = [.expect: "100-continue"]) -> HTTPRequest {
    HTTPRequest(method: .post, url: url, headerFields: fields)!
  }

  private static func source(_ loop: EventLoop, _ parts: [Bytes]) -> CustomSource<Bytes> {
    let source = CustomSource<Bytes>(loop, "body") { _ in }
    for part in parts { source.send(part) }
    source.finish()
    return source
  }

  @Test("A body waits for leave, and is sent with it, and after a while without it")
  func leave() async throws {
    let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    try await withLoop { loop in
      for givesLeave in [true, false] {
        var bodies: [Bytes] = []
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let serving = loop.spawn { () async throws(UVError) in
          for try await connection in listener {
            while let head = try await connection.read(until: "\r\n\r\n", limit: 1000).value {
              #expect("\(head)".contains("expect: 100-continue\r\n"))
              if givesLeave { try await connection.write("HTTP/1.1 100 Continue\r\n\r\n").value }
              bodies.append(try await connection.read(exactly: 4).value ?? "")
              try await connection.write(ok).value
            }
            connection.close()
          }
        }
        var options = HTTPClientOptions()
        options.continueTimeout = givesLeave ? .seconds(1000) : .milliseconds(5)
        let client = HTTPClient(loop, options: options)
        let url = "http://127.0.0.1:\(try listener.localAddress().port)/"
        #expect(await client.outcome(Self.post(url), body: "body") == "200 ok")
        let parts = Self.source(loop, ["bo", "dy"])
        let answer = try await client.send(Self.post(url), body: parts, length: 4).value
        #expect(try await answer.body.readToEnd(limit: 10).value == "ok")
        #expect(bodies == ["body", "body"] && client.counts.created == 1)
        try await client.close().value
        listener.close()
        try await serving.value
      }
    }
  }

  @Test("A final answer in place of leave ends the request, and 417 has it sent again without asking")
  func noLeave() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, request in
        ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", false)
      }
      let client = HTTPClient(loop)
      for _ in 0..<2 { #expect(await client.outcome(Self.post(server.url), body: "body") == "403 no") }
      // The server still waits for a body there.
      #expect(client.counts.created == 2 && client.counts.idle == 0)
      // Without a body nobody waits.
      #expect(await client.outcome(Self.post(server.url, [.expect: "100-continue"])) == "403 no")
      #expect(!server.requests[2].contains("expect") && client.counts.idle == 1)
      server.close()

      let old = try ScriptedServer(loop) { connection, _ in
        connection == 1
          ? ("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n", false)
          : ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true)
      }
      #expect(await client.outcome(Self.post(old.url), body: "body") == "200 ok")
      #expect(old.requests.map { $0.contains("expect") } == [true, false])
      // One that is cancelled while it waits.
      let silent = try ScriptedServer(loop) { _, _ in ("", false) }
      let task = loop.spawn { () async throws(UVError) in
        _ = try await client.send(Self.post(silent.url), body: "body").value
      }
      while silent.requests.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      task.cancel()
      await #expect { try await task.value } throws: { ($0 as? UVError)?.isCancelled == true }
      #expect(client.counts.leased == 0)
      try await client.close().value
      old.close()
      silent.close()
    }
  }

  @Test("Fields follow a chunked body, and say nothing of where it ends")
  func trailers() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let url = "http://127.0.0.1:\(try server.localAddress().port)/"
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          let body = try await exchange.body.readToEnd(limit: 100).value
          let fields = exchange.body.trailers.map { "\($0.name.rawName)=\($0.value)" }
          try await exchange.respond(HTTPResponse(status: .ok), Bytes("\(body) \(fields)")).value
        }
      }
      let client = HTTPClient(loop)
      let sum = HTTPField.Name("sum")!
      for fields in [[:], [.expect: "100-continue"]] as [HTTPFields] {
        var count = 0
        let body = Self.source(loop, ["a", "bc"])
        let answer = try await client.send(Self.post(url, fields), body: body) {
          count += 1
          return [sum: "\(count)", .contentLength: "5", .transferEncoding: "x"]
        }.value
        #expect(try await answer.body.readToEnd(limit: 100).value == "abc [\"sum=1\"]")
      }
      #expect(client.counts.created == 1)
      await #expect {
        _ = try await client.send(Self.post(url, [:]), body: Self.source(loop, []), length: 0) { [:] }.value
      } throws: {
        ($0 as? UVError)?.code == .invalidArgument
      }
      try await client.close().value
      server.close()
      try await serving.value
    }
  }

  @Test("A socket of the Unix domain stands for the server, with TLS and Upgrade, and for a proxy")
  func unixSocket() async throws {
    let certificates = Certificates.shared.directory
    let trust = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
    let identity = try TLSIdentity(
      certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        var options = HTTPClientOptions()
        options.unixSocket = FilePath("\(directory)/socket")
        let client = HTTPClient(loop, options: options, security: loop.tls.client(trust))
        #expect(await client.outcome(HTTPRequest(url: "http://localhost/")!) == "ENOENT")
        let listener = try loop.pipes.listen(path: "\(directory)/socket")
        let serving = loop.spawn { () async throws(UVError) in
          for try await connection in listener {
            loop.spawn {
              do {
                // Whoever begins a handshake gets one.
                let first = try await connection.next().value ?? ""
                connection.unread(first)
                let stream: ByteStream =
                  first.first == 22
                  ? try await loop.tls.secure(connection, .server(identity)).value : connection
                for try await exchange in loop.http.serve(stream) {
                  let request = exchange.request
                  var response = HTTPResponse(status: .ok)
                  if request.headerFields[.upgrade] != nil {
                    response = HTTPResponse(status: .switchingProtocols, headerFields: [.upgrade: "echo"])
                  }
                  if request.method == .connect || request.headerFields[.upgrade] != nil {
                    let upgraded = try await exchange.upgrade(response).value
                    try await upgraded.write(try await upgraded.next().value ?? "").value
                    upgraded.close()
                  } else {
                    try await exchange.respond(response, Bytes(request.authority ?? "")).value
                  }
                }
              } catch { Issue.record(error) }
            }
          }
        }
        for scheme in ["http", "https"] {
          for _ in 0..<2 {
            #expect(await client.outcome(HTTPRequest(url: "\(scheme)://localhost/")!) == "200 localhost")
          }
          let echo = HTTPRequest(url: "\(scheme)://localhost/", headerFields: [.upgrade: "echo"])!
          let stream = try #require(try await client.upgrade(echo).value.stream)
          try await stream.write("back").value
          #expect(try await stream.read(exactly: 4).value == "back")
          stream.close()
        }
        #expect(client.counts.created == 2)
        try await client.close().value
        // The proxy sends back what it gets, which is no answer.
        options.proxy = HTTPProxy(host: "nowhere", port: 1)
        options.proxy?.tunnelsAll = true
        let proxied = HTTPClient(loop, options: options)
        #expect(await proxied.outcome(HTTPRequest(url: "http://localhost/")!) == "EPROTO")
        try await proxied.close().value
        listener.close()
        try await serving.value
      }
    }
  }

  private static let hasNode = ["/usr/bin/node", "/usr/local/bin/node"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("A server in Node gives leave or none, and reads trailers, by TCP and pipes", .enabled(if: hasNode))
  func node() async throws {
    let script = """
      const answer = (request, response) => {
        let body = "";
        request.on("data", (part) => (body += part));
        request.on("end", () => response.end(body + JSON.stringify(request.trailers)));
      };
      const server = require("http").createServer(answer);
      server.on("checkContinue", (request, response) => {
        if (request.url === "/no") return response.writeHead(413).end();
        response.writeContinue();
        answer(request, response);
      });
      const place = process.argv[1];
      server.listen(place || { port: 0, host: "127.0.0.1" }, () => console.log(place ? 80 : server.address().port));
      """
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        for path in [nil, "\(directory)/socket"] {
          let child = try loop.processes.spawn(
            "node", ["-e", script] + (path.map { [$0] } ?? []), stdio: [.ignore, .pipe, .inherit])
          let output = try #require(child.standardOutput)
          let port = try await #require(output.readLine(limit: 100).value)
          var options = HTTPClientOptions()
          options.continueTimeout = .seconds(1000)
          options.unixSocket = path.map { FilePath($0) }
          let client = HTTPClient(loop, options: options)
          let url = "http://127.0.0.1:\(port)/"
          #expect(await client.outcome(Self.post(url), body: "abc") == "200 abc{}")
          #expect(await client.outcome(Self.post(url + "no"), body: "abc") == "413 ")
          let answer = try await client.send(Self.post(url), body: Self.source(loop, ["a", "b"])) {
            [HTTPField.Name("sum")!: "ab"]
          }.value
          #expect(try await answer.body.readToEnd(limit: 100).value == "ab{\"sum\":\"ab\"}")
          try await client.close().value
          try child.kill(.kill)
          _ = try await child.exit().value
          output.close()
        }
      }
    }
  }
}
#endif
