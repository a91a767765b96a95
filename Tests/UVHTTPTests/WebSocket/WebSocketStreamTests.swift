#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A WebSocket as a stream of bytes, as the article *WebSockets* has it.
@Suite struct WebSocketStreamTests {
  private static func stream(over socket: WebSocket) throws(UVError) -> PipeConnection {
    let (inner, outer) = try socket.loop.pipes.socketPair()
    // An error ends both, too.
    socket.loop.spawn {
      defer { inner.close() }
      do throws(UVError) {
        for try await message in socket {
          if case .binary(let bytes) = message { try await inner.write(bytes).value }
        }
      } catch {}
    }
    socket.loop.spawn {
      defer { socket.close() }
      do throws(UVError) {
        for try await bytes in inner { try await socket.send(.binary(bytes)).value }
      } catch {}
    }
    return outer
  }

  @Test("A WebSocket is a stream of bytes by a pair of sockets, with frames and an end")
  func frames() async throws {
    let log = Log<String>()
    try await withSocket { socket in
      let stream = try Self.stream(over: socket)
      while let length = try await stream.read(exactly: 1).value {
        let packet = try await stream.read(exactly: Int(length[0])).value
        log.append("\(packet ?? "")")
        try await stream.write([length, packet ?? ""]).value
      }
      stream.close()
      #expect(socket.peerClose?.code == .normal)
    } peer: { peer in
      // The borders of the packets aren't those of the messages.
      try await peer.send(frame(0x82, "\u{3}ab"), frame(0x82, "c\u{1}d\u{2}e"), frame(0x82, "f"))
      var answer = ""
      while answer.count < 9 { answer += "\((try await peer.read())?.payload ?? "")" }
      #expect(answer == "\u{3}abc\u{1}d\u{2}ef")
      try await peer.close()
    }
    #expect(log.values == ["abc", "d", "ef"])
  }

  @Test("The end of the stream closes the WebSocket, behind what was written")
  func end() async throws {
    try await withSocket { socket in
      let stream = try Self.stream(over: socket)
      try await stream.write("last").value
      stream.close()
    } peer: { peer in
      #expect(try await peer.read() == Received(first: 0x82, payload: "last"))
      #expect(try await peer.read()?.code == 1000)
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }
}
#endif
