#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Messages that are encoded once, for several WebSockets.
@Suite struct EncodedMessageTests {
  private static let counts = [0, 1, 125, 126, 16384, 16385, 65535, 65536, 300_000]

  private static func message(_ count: Int, isText: Bool) -> WebSocketMessage {
    let payload = Bytes((0..<count).map { isText ? 97 + UInt8($0 % 26) : UInt8($0 & 0xff) })
    return isText ? .text("\(payload)") : .binary(payload)
  }

  @Test("They come as others do, in their order, over every transport", arguments: Transport.allCases)
  func comes(transport: Transport) async throws {
    try await withSocket(over: transport) { socket in
      for count in Self.counts {
        for isText in [true, false] {
          let message = Self.message(count, isText: isText)
          socket.send(message.encoded()) { _ in }
          try await socket.send(message).value
          try await socket.send(message.encoded()).value
        }
      }
      try await socket.close().value
    } peer: { peer in
      for count in Self.counts {
        for isText in [true, false] {
          let message = Self.message(count, isText: isText)
          for _ in 0..<3 {
            let received = try #require(try await peer.read())
            #expect(received.first == (isText ? 0x81 : 0x82) && received.payload.count == count)
            switch message {
            case .text(let text): #expect(received.payload == Bytes(text))
            case .binary(let bytes): #expect(received.payload == bytes)
            }
          }
        }
      }
      #expect(try await peer.read() == .close(1000))
      try await peer.send(frame(0x88, ""))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("A client masks each, and they wait for the end of a message that is written bit by bit")
  func fromClient() async throws {
    let messages = Self.counts.flatMap { count in [true, false].map { Self.message(count, isText: $0) } }
    try await withSocket { socket in
      for message in ["ab"] + messages {
        let received = try await socket.next().value
        #expect(received == message)
      }
      let end = try await socket.next().value
      #expect(end == nil)
    } peer: { peer in
      let socket = WebSocket(WebSocketCore(peer.stream, .client, WebSocketLimits()), nil)
      let writer = try socket.begin(.text)
      try await writer.write("a").value
      for message in messages { socket.send(message.encoded()) { _ in } }
      try await writer.write("b").value
      try await writer.finish().value
      try await socket.close().value
      await #expect(throws: UVError(.brokenPipe, operation: "webSocket")) {
        try await socket.send(messages[0].encoded()).value
      }
    }
  }

  @Test("A long one that waits for many silent peers is in memory once")
  func shared() async throws {
    // More than the buffers of a connection hold whose peer reads nothing.
    let news = Self.message(16 << 20, isText: true).encoded()
    let sent = Log<Bool>()
    try await withSockets { socket in
      let begin = try await socket.next().value
      #expect(begin == "begin")
      let before = socket.core.output.count
      socket.send(news) { _ in }
      #expect(socket.isAboveHighWaterMark)
      #expect(socket.core.output.count == before)
      sent.append(true)
      let end = try await socket.next().value
      #expect(end == nil)
    } clients: { loop, connect in
      var peers: [RawPeer] = []
      for _ in 0..<4 {
        let peer = RawPeer(stream: try await connect())
        try await peer.shakeHands()
        peers.append(peer)
      }
      for peer in peers { try await peer.send(frame(0x81, "begin")) }
      try await loop.until { sent.values.count == peers.count }
      for peer in peers {
        #expect(try await peer.read()?.payload == news.payload)
        try await peer.close()
        peer.stream.close()
      }
    }
  }
}
#endif
