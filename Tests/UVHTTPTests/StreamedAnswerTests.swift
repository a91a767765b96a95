#if Everything
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Answers that aren't whole.
@Suite struct StreamedAnswerTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  @Test("An answer that is written bit by bit is chunked, with a trailer; HTTP/1.0 gets it until the end")
  func chunked() async throws {
    for (request, expected) in [
      (
        Self.get,
        "transfer-encoding: chunked\r\nconnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-A: b\r\n\r\n"
      ),
      ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "connection: close\r\n\r\nabcde"),
      (
        "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
      ),
    ] {
      try await withServer { exchange in
        let writer = try exchange.begin(HTTPResponse(status: .ok))
        try await writer.write("abc").value
        try await writer.write("").value
        try await writer.write("de").value
        try await writer.finish([HTTPField.Name("X-A")!: "b"]).value
        await #expect(throws: UVError(.alreadyInProgress, operation: "respond")) {
          try await writer.write("f").value
        }
      } client: { client in
        let answer = try await client.exchange(request)
        #expect(answer.hasSuffix(expected))
      }
    }
  }

  @Test("An answer with a length has as many bytes, and the next request is answered")
  func length() async throws {
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: 5)
      try await writer.write("abc").value
      await #expect(throws: UVError(.invalidArgument, operation: "respond")) {
        try await writer.write("def").value
      }
      try await writer.write("de").value
      try await writer.finish().value
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n\(Self.get)")
      #expect(bodies(of: answer) == ["abcde", "abcde"])
    }
  }

  @Test("Cancelling a write that has ended does nothing to the one that waits")
  func cancelledLate() async throws {
    let half = Bytes(repeating: 1, count: 20_000_000)
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: 2 * half.count)
      var ended = 0
      let first = writer.write(half) { _ in ended += 1 }
      while ended < 1 { try await exchange.loop.sleep(for: .milliseconds(1)).value }
      writer.write(half) { _ in ended += 1 }
      first.cancel()
      try await writer.finish().value
      #expect(ended == 2)
    } client: { client in
      try await client.stream.write(Bytes(Self.get)).value
      let answer = try await client.stream.readToEnd(limit: 50_000_000).value
      #expect(answer.count > 2 * half.count)
    }
  }

  @Test("An answer that isn't finished breaks the connection off, without the last chunk")
  func unfinished() async throws {
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      try await writer.write("abc").value
    } client: { client in
      let answer = try await client.exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\n3\r\nabc\r\n"))
    }
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: 5)
      try await writer.write("abc").value
      await #expect(throws: UVError(.invalidArgument, operation: "respond")) {
        try await writer.finish().value
      }
    } client: { client in
      let answer = try await client.exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\nabc"))
    }
  }

  @Test(
    "A client of HTTP/1.0, whose answer ends with the connection, sees a reset if it isn't finished",
    arguments: [false, true])
  func unfinishedWithoutLength(secure: Bool) async throws {
    let handlers:
      [nonisolated(nonsending) @Sendable (HTTPExchange, HTTPResponseWriter) async throws -> Void] = [
        { _, _ in },
        { exchange, writer in
          let pending = writer.write(Bytes(repeating: 0x61, count: 20_000_000)) { _ in }
          pending.cancel()
        },
      ]
    for handler in handlers {
      let isRead = Log<Bool>()
      try await serveEach(secure: secure) { exchange in
        do {
          let writer = try exchange.begin(HTTPResponse(status: .ok))
          try await writer.write("abc").value
          try await exchange.loop.until { !isRead.values.isEmpty }
          try await handler(exchange, writer)
        } catch { Issue.record(error) }
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write("GET / HTTP/1.0\r\n\r\n").value
        _ = try await stream.read(until: "abc", limit: 1000).value
        isRead.append(true)
        let code = await failure { _ = try await stream.readToEnd(limit: 30_000_000).value }?.code
        #expect(code == .connectionReset)
        stream.close()
      }
    }
  }

  @Test(
    "A client of HTTP/1.0 sees a reset if its answer is dropped on another thread", arguments: [false, true])
  func droppedElsewhere(secure: Bool) async throws {
    let isRead = Log<Bool>()
    try await serveEach(secure: secure) { exchange in
      let writer = Box(try? exchange.begin(HTTPResponse(status: .ok)))
      try? await writer.value?.write("abc").value
      try? await exchange.loop.until { !isRead.values.isEmpty }
      elsewhere { writer.value = nil }
    } client: { loop, connect in
      let stream = try await connect()
      try await stream.write("GET / HTTP/1.0\r\n\r\n").value
      _ = try await stream.read(until: "abc", limit: 1000).value
      isRead.append(true)
      #expect(await failure { _ = try await stream.readToEnd(limit: 100).value }?.code == .connectionReset)
      stream.close()
    }
  }

  @Test("A body is sent back while it comes, and the connection goes on")
  func echo() async throws {
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      for try await part in exchange.body { try await writer.write(part).value }
      try await writer.finish().value
    } client: { client in
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n"
      for end in ["\r\n", "Connection: close\r\n\r\n"] {
        try await client.stream.write(Bytes("\(head)\(end)abc")).value
        // The first part comes back before the second is sent.
        _ = try await client.stream.read(until: "3\r\nabc\r\n", limit: 1000).value
        try await client.stream.write("def").value
        let rest = try await client.stream.read(until: "0\r\n\r\n", limit: 1000).value
        #expect(rest == "3\r\ndef\r\n")
      }
    }
  }

  @Test("No leave to send a body stands within an answer that has begun")
  func lateLeave() async throws {
    try await withServer { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      try await writer.write("abc").value
      #expect(try await exchange.body.readToEnd(limit: 10).value == "body")
      try await writer.finish().value
    } client: { client in
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
      try await client.stream.write(Bytes(head)).value
      _ = try await client.stream.read(until: "3\r\nabc\r\n", limit: 1000).value
      let rest = try await client.exchange("body")
      #expect(rest == "0\r\n\r\n")
    }
  }

  @Test("A part of a file is sent, on a connection that goes on; too short a file breaks it off")
  func file() async throws {
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/file"
      let content = Bytes(repeating: UInt8(ascii: "x"), count: 300_000)
      try await withServer { exchange in
        let files = exchange.loop.files
        try await files.writeFile(path, content).value
        let file = try await files.open(path).value
        let count = exchange.request.path == "/short" ? 300_000 : 200_000
        let outcome = await result {
          try await exchange.respond(HTTPResponse(status: .ok), file: file, from: 100_000, count: count).value
        }
        #expect((outcome == nil) == (count == 200_000))
        try await file.close().value
      } client: { client in
        let head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
        let short = "GET /short HTTP/1.1\r\nHost: a\r\n\r\n"
        let answer = try await client.exchange("\(head)GET / HTTP/1.1\r\nHost: a\r\n\r\n\(short)")
        let bodies = bodies(of: answer, head: 0)
        #expect(bodies.map(\.count) == [0, 200_000, 200_000])
      }
    }
  }

  @Test("A file waits for the bytes before it that the client hasn't taken")
  func fileAfterMuch() async throws {
    let much = Bytes(repeating: UInt8(ascii: "y"), count: 8_000_000)
    try await withTemporaryDirectory { directory in
      try await withServer { exchange in
        if exchange.request.path == "/much" {
          exchange.respond(HTTPResponse(status: .ok), much) { _ in }
          return
        }
        try await exchange.loop.files.writeFile("\(directory)/file", "a file").value
        let file = try await exchange.loop.files.open("\(directory)/file").value
        try await exchange.respond(HTTPResponse(status: .ok), file: file, count: 6).value
      } client: { client in
        let answer = try await client.exchange(
          "GET /much HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.utf8.count > much.count && answer.hasSuffix("\r\n\r\na file"))
      }
    }
  }

  @Test("A file is sent over TLS, too")
  func fileOverTLS() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let port = Int(try listener.localAddress().port)
      let server = loop.http.serve(listener)
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          let file = try await loop.files.open("\(certificates)/root.pem").value
          let size = Int(try await file.stat().value.size)
          try await exchange.respond(HTTPResponse(status: .ok), file: file, count: size).value
        }
      }
      let client = HTTPClient(
        loop, security: loop.tls.client(try .client(trust: .certificates("\(certificates)/root.pem"))))
      for _ in 0..<2 {
        let body = try await client.get("https://localhost:\(port)/").value.body
        let expected = try await loop.files.readFile("\(certificates)/root.pem").value
        #expect(try await body.readToEnd(limit: 100_000).value == expected)
      }
      try await client.close().value
      server.close()
      try await serving.value
    }
  }

  @Test("A client that sends its body too slowly as a whole is given up, though it is never silent")
  func total() async throws {
    var limits = HTTPLimits()
    (limits.idleTimeout, limits.minimumRate) = (.milliseconds(200), 1_000_000)
    try await withServer(limits) { exchange in
      await #expect(throws: UVError.self) { try await exchange.body.readToEnd(limit: 10_000).value }
    } client: { client in
      try await client.stream.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n").value
      let sending = client.stream.loop.spawn {
        while await result({ try await client.stream.write("a").value }) == nil,
          await result({ try await client.stream.loop.sleep(for: .milliseconds(5)).value }) == nil
        {}
      }
      let answer = try await client.stream.read(until: "\r\n", limit: 1000).value
      #expect(answer == "HTTP/1.1 408 Request Timeout")
      sending.cancel()
      await sending.value
    }
  }
}

/// The error of `body`, if it has one.
private nonisolated(nonsending) func result(
  _ body: nonisolated(nonsending) () async throws -> Void
) async -> (any Error)? {
  do {
    try await body()
    return nil
  } catch { return error }
}
#endif
