#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The WebSocket of a client.
@Suite struct WebSocketClientTests {
  /// Runs a server that does what a test says with the first connection, and a client.
  private func withServer(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ serve: nonisolated(nonsending) @escaping @Sendable (TCPConnection) async throws -> Void,
    client: nonisolated(nonsending) @escaping @Sendable (EventLoop, String) async throws -> Void
  ) async throws {
    makeCertificates()
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try listener.localAddress().port
      let serving = loop.spawn { () async throws in
        guard let connection = try await listener.next().value else { return }
        try await serve(connection)
        connection.close()
      }
      try await client(loop, "ws://127.0.0.1:\(port)/chat?a=b")
      try await serving.value
      listener.close()
    }
  }

  /// Reads a client's head, and returns the right answer to it, with fields in place of others.
  private static func answer(
    _ connection: TCPConnection, _ status: String = "101 Switching Protocols",
    _ changes: [String: String] = [:]
  ) async throws -> String {
    let head = try await connection.read(until: "\r\n\r\n", limit: 4000).value
    let lines = "\(head ?? "")".components(separatedBy: "\r\n")
    let key = lines.first { $0.lowercased().hasPrefix("sec-websocket-key: ") }?.dropFirst(19) ?? ""
    var fields = [
      "upgrade": "websocket", "connection": "Upgrade",
      "sec-websocket-accept": HandshakeKey.accept(String(key)),
    ]
    fields.merge(changes) { $1 }
    return "HTTP/1.1 \(status)\r\n"
      + fields.filter { $0.value != "" }.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
  }

  @Test(
    "The client's head is right, its frames have masks of their own, and bytes after the answer aren't lost")
  func frames() async throws {
    try await withServer { connection in
      let head = try await connection.read(until: "\r\n\r\n", limit: 4000).value
      let lines = Set("\(head ?? "")".lowercased().components(separatedBy: "\r\n"))
      for line in [
        "get /chat?a=b http/1.1", "upgrade: websocket", "connection: upgrade", "sec-websocket-version: 13",
        "sec-websocket-protocol: a, b", "origin: https://example.com",
      ] {
        #expect(lines.contains(line), "\(line)")
      }
      #expect(!lines.contains { $0.hasPrefix("sec-websocket-extensions") })
      let key = lines.first { $0.hasPrefix("sec-websocket-key: ") }
      #expect(key?.utf8.count == 19 + 24)
      let original = "\(head ?? "")".components(separatedBy: "\r\n").first {
        $0.lowercased().hasPrefix("sec-websocket-key: ")
      }
      let accept = HandshakeKey.accept(String(original?.dropFirst(19) ?? ""))
      let answer =
        "HTTP/1.1 101 x\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
        + "Sec-WebSocket-Protocol: b\r\n\r\n"
      try await connection.write([
        Bytes("HTTP/1.1 103 Early Hints\r\n\r\n"), Bytes(answer), frame(0x81, "early", mask: nil),
      ]).value
      var parser = MessageParser(WebSocketLimits(), isMasked: true)
      var (input, masks, texts) = (Bytes(), Set<UInt32>(), [String]())
      while texts.count < 3 {
        input = input.followed(by: try await connection.next().value ?? Bytes())
        while let frame = try FrameHead.read(input.span, isMasked: true, isWithinMessage: false),
          case .message(.text(let text)) = try parser.next(from: &input)
        {
          masks.insert(frame.mask.key)
          texts.append(text)
        }
      }
      #expect(texts == ["one", "two", "three"] && masks.count == 3)
      // A server's frames have no masks.
      try await connection.write(frame(0x81, "a")).value
      let close = try await connection.read(exactly: 2 + 4 + 2).value
      #expect(close?[0] == 0x88)
      _ = try await connection.readToEnd(limit: 1000).value
    } client: { loop, url in
      let socket = try await loop.http.webSocket(
        url, protocols: ["a", "b"],
        headerFields: [.origin: "https://example.com", .secWebSocketExtensions: "x"]
      ).value
      #expect(socket.subprotocol == "b")
      #expect(try await socket.next().value == "early")
      for text in ["one", "two", "three"] { try await socket.send(.text(text)).value }
      await #expect(throws: UVError(.protocolError, operation: "webSocket")) {
        try await socket.next().value
      }
    }
  }

  @Test(
    "An answer that isn't a right one is refused, and the connection ends",
    arguments: [
      ("403 Forbidden", ["content-length": "0"], UVError.Code.unexpectedAnswer),
      ("200 OK", [:], .unexpectedAnswer),
      ("101 x", ["upgrade": ""], .protocolError), ("101 x", ["upgrade": "h2c"], .protocolError),
      ("101 x", ["connection": "close"], .protocolError),
      ("101 x", ["sec-websocket-accept": ""], .protocolError),
      ("101 x", ["sec-websocket-accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="], .protocolError),
      ("101 x", ["sec-websocket-extensions": "permessage-deflate"], .protocolError),
      ("101 x", ["sec-websocket-protocol": "c"], .protocolError),
      ("101 x", ["sec-websocket-protocol": "a, b"], .protocolError),
      ("101 x", ["a b": "c"], .protocolError), ("x", [:], .protocolError),
    ])
  func refused(status: String, changes: [String: String], code: UVError.Code) async throws {
    try await withServer { connection in
      let answer = try await Self.answer(connection, status, changes)
      try await connection.write(Bytes(answer)).value
      _ = try? await connection.readToEnd(limit: 1000).value
    } client: { loop, url in
      let found = await failure { _ = try await loop.http.webSocket(url, protocols: ["a", "b"]).value }
      #expect(found?.code == code, "\(String(describing: found))")
    }
  }

  @Test("What can't be a URL or a subprotocol is refused before a connection is made")
  func invalid() async throws {
    try await withLoop { loop in
      for url in ["http://a", "ws:/a", "ws://", "ws://a b/", "ws://u%4@a/", "ws://a/ b", "wsx://a", ""] {
        let error = await failure { _ = try await loop.http.webSocket(url).value }
        #expect(error?.code == .invalidArgument, "\(url)")
      }
      for protocols in [[""], ["a,b"], ["a", "a"], ["a b"]] {
        let error = await failure { _ = try await loop.http.webSocket("ws://a", protocols: protocols).value }
        #expect(error?.code == .invalidArgument, "\(protocols)")
      }
      let error = await failure { _ = try await loop.http.webSocket("wss://127.0.0.1:1/").value }
      #expect(error?.code == .connectionRefused || error?.code == .notSupported)
      let client = HTTPClient(loop)
      try await client.close().value
      let closed = await failure { _ = try await client.webSocket("ws://127.0.0.1:1/").value }
      #expect(closed?.code == .badDescriptor)
    }
  }

  @Test("A handshake that is cancelled, takes too long or is broken off ends its connection")
  func handshakes() async throws {
    for way in ["cancel", "time", "end"] {
      let asked = Log<Bytes?>()
      try await withServer { connection in
        asked.append(try await connection.read(until: "\r\n\r\n", limit: 4000).value)
        if way == "end" { return }
        #expect(try await connection.next().value == nil)
      } client: { loop, url in
        var options = HTTPClientOptions()
        options.headTimeout = way == "time" ? .milliseconds(20) : .seconds(20)
        let client = HTTPClient(loop, options: options)
        let task = loop.spawn { () async in await failure { _ = try await client.webSocket(url).value }?.code
        }
        try await loop.until { !asked.values.isEmpty }
        if way == "cancel" { task.cancel() }
        #expect(await task.value == (way == "cancel" ? .cancelled : way == "time" ? .timedOut : .endOfFile))
      }
    }
  }

  @Test("The client and the server speak with each other, with TLS and without", arguments: [false, true])
  func together(isSecure: Bool) async throws {
    makeCertificates()
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let server: HTTPServer
      let port: Int
      if isSecure {
        let identity = try TLSIdentity(
          certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
        let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
        port = Int(try listener.localAddress().port)
        server = loop.http.serve(listener)
      } else {
        server = try loop.http.listen(host: "127.0.0.1", port: 0)
        port = Int(try server.localAddress().port)
      }
      let serving = loop.spawn { () async throws in
        for try await exchange in server {
          loop.spawn {
            do {
              let socket = try await exchange.webSocket(protocols: ["echo"]).value
              for try await message in socket { try await socket.send(message).value }
              #expect(socket.peerClose?.reason == "done")
            } catch { Issue.record(error) }
          }
        }
      }
      let security = loop.tls.client(try .client(trust: .certificates("\(certificates)/root.pem")))
      let client = HTTPClient(loop, security: security)
      let url = "\(isSecure ? "WSS" : "ws")://127.0.0.1:\(port)"
      let socket = try await client.webSocket(url, protocols: ["echo"]).value
      #expect(socket.subprotocol == "echo")
      #expect(try Int(socket.peerAddress().port) == port)
      for count in [0, 1, 125, 126, 65535, 65536, 500_000] {
        let text = String(repeating: "é", count: count / 2)
        let bytes = Bytes((0..<count).map { UInt8($0 & 0xff) })
        for message: WebSocketMessage in [.text(text), .binary(bytes)] {
          try await socket.send(message).value
          #expect(try await socket.next().value == message)
        }
      }
      let writer = try socket.begin(.text)
      for part in ["a", "b", "c"] { try await writer.write(Bytes(part)).value }
      try await writer.finish().value
      #expect(try await socket.next().value == "abc")
      try await socket.ping("x").value
      try await socket.close(reason: "done").value
      #expect(socket.peerClose?.code == .normal)
      server.close()
      try await serving.value
    }
  }
}
#endif
