#if Everything
import UV
import UVHTTP

/// What a peer says by HTTP or WebSocket, in whatever pieces it comes: it means the same in one piece as in many, and it
/// ends by itself.
struct FuzzedHTTP {
  enum Side {
    /// A client's requests, to the server.
    case requests
    /// A server's answer, to the client.
    case answer
    /// A client's frames, to the server's WebSocket.
    case frames
  }

  private let loop: EventLoop
  private let side: Side
  /// How many bytes each piece has, again and again.
  private let sizes: [Int]
  private let message: [UInt8]

  init(_ loop: EventLoop, _ side: Side, _ input: [UInt8]) {
    (self.loop, self.side) = (loop, side)
    sizes = input.prefix(2).map { Int($0 & 31) + 1 }
    message = Array(input.dropFirst(2).prefix(2000))
  }

  func problem() async throws -> String? {
    let whole = try await heardWhole()
    let split = try await heard(pieces)
    return whole == split ? nil : "in one piece it was \(whole), and in pieces \(split)"
  }

  /// What was heard of the message in one piece.
  func heardWhole() async throws -> [String] { try await heard([Bytes(message)]) }

  private var pieces: [Bytes] {
    var rest = message[...]
    var pieces: [Bytes] = []
    while !rest.isEmpty {
      let size = sizes[pieces.count % sizes.count]
      pieces.append(Bytes(Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
    }
    return pieces
  }

  /// What was heard of the message.
  private func heard(_ pieces: [Bytes]) async throws -> [String] {
    switch side {
    case .requests: try await heardByServer(pieces) { await Self.requests(of: $0) }
    case .frames: try await heardByServer([Self.handshake] + pieces) { await Self.messages(of: $0) }
    case .answer: try await heardByClient(pieces)
    }
  }

  /// Says the pieces and the end, and reads until the peer has ended.
  private static func say(_ pieces: [Bytes], on stream: ByteStream) async {
    stream.start { _ in }
    for piece in pieces {
      // The peer may have ended before.
      if (try? await stream.write(piece).value) == nil { return }
      try? await stream.loop.sleep(for: .zero).value
    }
    try? await stream.shutdown().value
  }

  // MARK: The server

  private func heardByServer(
    _ pieces: [Bytes], _ listen: @escaping @Sendable (HTTPServer) async -> [String]
  ) async throws -> [String] {
    let (near, far) = try loop.pipes.socketPair()
    let server = loop.http.serve(near)
    let listening = loop.spawn { await listen(server) }
    let saying = loop.spawn { await Self.say(pieces, on: far) }
    let heard = await listening.value
    await saying.value
    far.close()
    return heard
  }

  private static func requests(of server: HTTPServer) async -> [String] {
    var heard: [String] = []
    do throws(UVError) {
      for try await exchange in server {
        let request = exchange.request
        var words =
          "\(request.method) \(request.path ?? "-") \(request.authority ?? "-") \(request.headerFields)"
        do throws(UVError) {
          words += " \(try await exchange.body.readToEnd(limit: 1000).value.map { $0 })"
          try await exchange.respond(HTTPResponse(status: .ok), Bytes(words)).value
        } catch { words += " \(error.name)" }
        heard.append(words)
      }
    } catch { heard.append(error.name) }
    return heard
  }

  /// The example of RFC 6455, 1.3.
  private static let handshake: Bytes = """
    GET /chat HTTP/1.1\r
    Host: server.example.com\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    Sec-WebSocket-Version: 13\r
    \r

    """

  private static func messages(of server: HTTPServer) async -> [String] {
    var heard: [String] = []
    do throws(UVError) {
      guard let exchange = try await server.next().value else { return ["no request"] }
      var limits = WebSocketLimits()
      limits.message = 1000
      let socket = try await exchange.webSocket(limits: limits).value
      do throws(UVError) {
        for try await message in socket {
          heard.append("\(message)")
          try await socket.send(message).value
        }
      } catch { heard.append(error.name) }
      heard.append("\(socket.peerClose.map { "\($0)" } ?? "-")")
    } catch { heard.append("handshake \(error.name)") }
    return heard
  }

  // MARK: The client

  private func heardByClient(_ pieces: [Bytes]) async throws -> [String] {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let port = try listener.localAddress().port
    let client = HTTPClient(loop)
    let serving = loop.spawn { () async throws(UVError) in
      let connection = try await listener.accept().value
      listener.close()
      await Self.say(pieces, on: connection)
      return connection
    }
    var heard: [String] = []
    do throws(UVError) {
      let answer = try await client.get("http://127.0.0.1:\(port)/").value
      heard.append("\(answer.status) \(answer.headerFields)")
      heard.append("\(try await answer.body.readToEnd(limit: 1000).value.map { $0 })")
    } catch { heard.append(error.name) }
    try await client.close().value
    try await serving.value.close()
    return heard
  }
}
#endif
