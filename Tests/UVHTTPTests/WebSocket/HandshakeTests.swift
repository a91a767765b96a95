#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// The handshake of a server (RFC 6455, 4.2).
@Suite struct HandshakeTests {
  @Test("SHA-1 and Base64 give the values of RFC 3174, RFC 4648 and RFC 6455")
  func keys() {
    func hash(_ text: String) -> String {
      SHA1.hash(text.utf8).map { byte in String(UInt32(byte) + 256, radix: 16).dropFirst() }.joined()
    }
    #expect(hash("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hash("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(
      hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(hash(String(repeating: "a", count: 119)) == "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56")
    for (text, code) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
      #expect(HandshakeKey.base64(Array(text.utf8)) == code)
    }
    #expect(HandshakeKey.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(HandshakeKey.isValid(HandshakeKey.random()))
    #expect(HandshakeKey.random() != HandshakeKey.random())
  }

  /// A client's head, with fields in place of others or left out.
  static func head(_ method: String = "GET", _ version: String = "1.1", _ changes: [String: String?] = [:])
    -> String
  {
    let fields: KeyValuePairs = [
      "Host": "a", "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ]
    var text = "\(method) /chat HTTP/\(version)\r\n"
    for (name, value) in fields {
      guard let value = changes[name] ?? value else { continue }
      text += "\(name): \(value)\r\n"
    }
    for (name, value) in changes where !fields.contains(where: { $0.key == name }) {
      text += "\(name): \(value ?? "")\r\n"
    }
    return text + "\r\n"
  }

  @Test(
    "What isn't a right request gets its status, and the connection goes on",
    arguments: [
      (head("POST"), "405 Method Not Allowed", "allow: get"),
      (head("GET", "1.0"), "400 Bad Request", ""),
      (head("GET", "1.1", ["Upgrade": nil]), "426 Upgrade Required", "upgrade: websocket"),
      (head("GET", "1.1", ["Upgrade": "h2c"]), "426 Upgrade Required", "connection: upgrade\r\n"),
      (
        head("GET", "1.1", ["Upgrade": nil, "Connection": "close"]), "426 Upgrade Required",
        "connection: close, upgrade\r\n"
      ),
      (head("GET", "1.1", ["Connection": "keep-alive"]), "400 Bad Request", ""),
      (
        head("GET", "1.1", ["Sec-WebSocket-Version": "8"]), "426 Upgrade Required",
        "sec-websocket-version: 13"
      ),
      (
        head("GET", "1.1", ["Sec-WebSocket-Version": nil]), "426 Upgrade Required",
        "sec-websocket-version: 13"
      ),
      (head("GET", "1.1", ["Sec-WebSocket-Key": nil]), "400 Bad Request", ""),
      (head("GET", "1.1", ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ"]), "400 Bad Request", ""),
      (head("GET", "1.1", ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZZQ="]), "400 Bad Request", ""),
      (head("GET", "1.1", ["Sec-WebSocket-Key": "dGhlIHNhbXBsZS!ub25jZQ=="]), "400 Bad Request", ""),
      (head("GET", "1.1", ["Sec-WebSocket-Protocol": "a b"]), "400 Bad Request", ""),
      (head("GET", "1.1", ["Content-Length": "1"]) + "x", "400 Bad Request", ""),
    ])
  func refused(request: String, status: String, field: String) async throws {
    try await withServer { exchange in
      if exchange.request.path == "/next" {
        return try await exchange.respond(HTTPResponse(status: .ok), "next").value
      }
      await #expect(throws: UVError(.protocolError, operation: "webSocket")) {
        _ = try await exchange.webSocket().value
      }
    } client: { client in
      let keepsAlive = !request.contains("HTTP/1.0") && !request.contains("close")
      let next = keepsAlive ? "GET /next HTTP/1.0\r\n\r\n" : ""
      let answer = try await client.exchange(request + next)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer)")
      #expect(answer.lowercased().contains(field))
      if keepsAlive { #expect(bodies(of: answer).last == "next") }
    }
  }

  @Test("The answer has the accepted key, the first subprotocol of the server's, and its fields")
  func accepted() async throws {
    try await withServer { exchange in
      #expect(exchange.asksForWebSocket)
      #expect(exchange.request.headerFields[.origin] == "https://example.com")
      let socket = try await exchange.webSocket(
        protocols: ["c", "b", "a"], headerFields: [.setCookie: "x", .secWebSocketExtensions: "deflate"]
      ).value
      #expect(socket.subprotocol == "b")
      try await socket.close().value
    } client: { client in
      let text = Self.head(
        "GET", "1.1",
        [
          "Sec-WebSocket-Protocol": "a, b", "Origin": "https://example.com", "Upgrade": "x, WebSocket",
          "Connection": "keep-alive, upgrade", "Sec-WebSocket-Extensions": "permessage-deflate",
        ])
      try await client.stream.write(Bytes(text)).value
      let head = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
      let lines = "\(head ?? "")".lowercased().split(separator: "\r\n")
      #expect(lines.first == "http/1.1 101 switching protocols")
      for line in [
        "upgrade: websocket", "connection: upgrade", "sec-websocket-protocol: b", "set-cookie: x",
        "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=",
      ] {
        #expect(lines.contains { $0 == line }, "\(line)")
      }
      #expect(!lines.contains { $0.hasPrefix("sec-websocket-extensions") })
      #expect(try await client.stream.read(exactly: 4).value == [0x88, 2, 0x03, 0xe8])
      try await client.stream.write(frame(0x88, [0x03, 0xe8])).value
      #expect(try await client.stream.next().value == nil)
    }
  }
}
#endif
