#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// WebSockets whose loop shuts down gracefully.
@Suite struct WebSocketServiceEndTests {
  @Test("A graceful shutdown sends idle peers 1001, and lets a program answer first that works")
  func quiescing() async throws {
    makeCertificates()
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let address = try server.localAddress()
      let heard = Log<WebSocketMessage>()
      loop.spawn {
        do {
          for try await exchange in server {
            loop.spawn {
              do {
                let socket = try await exchange.webSocket().value
                for try await message in socket {
                  if message == "sends only" {
                    while true { try await socket.ping().value }
                  }
                  heard.append(message)
                  try await loop.until { loop.isShuttingDown }
                  try await socket.send(message).value
                }
              } catch {}
            }
          }
        } catch {}
      }
      var peers: [RawPeer] = []
      for _ in 0..<3 {
        let peer = RawPeer(stream: try await loop.tcp.connect(to: address).value)
        try await peer.shakeHands()
        peers.append(peer)
      }
      try await peers[1].send(frame(0x81, "work"), frame(0x81, "more"))
      try await loop.until { !heard.values.isEmpty }
      let ending = loop.shutdownGracefully(within: .seconds(10)).start { _ in }
      _ = ending
      #expect(try await peers[0].read() == .close(1001))
      #expect(try await peers[1].read() == Received(first: 0x81, payload: "work"))
      #expect(try await peers[1].read() == Received(first: 0x81, payload: "more"))
      #expect(try await peers[1].read() == .close(1001))
      #expect(try await peers[2].read() == .close(1001))
      for peer in peers {
        try await peer.send(frame(0x88, ""))
        #expect(try await peer.read() == nil)
        peer.stream.close()
      }
    }
  }

  @Test(
    "A message that is written bit by bit is completed first; a program that fails has gone with the service")
  func busy() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let address = try server.localAddress()
      let heard = Log<WebSocketMessage?>()
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        loop.spawn {
          let socket = try await exchange.webSocket().value
          let message = try await socket.next().value
          heard.append(message)
          let writer = message == "write" ? try socket.begin(.text) : nil
          let next = writer.map { _ in loop.spawn { () async throws in try await socket.next().value } }
          while !loop.isShuttingDown { try await loop.sleep(for: .milliseconds(1)).value }
          try await loop.sleep(for: .milliseconds(30)).value
          // Nothing looks after the programs meanwhile.
          #expect(
            !loop.snapshot().timers.entries.contains { !$0.keepsLoopRunning && $0.dueIn < .milliseconds(20) })
          try await writer?.write("a").value
          try await writer?.finish().value
          #expect(try await next?.value == nil)
          throw UVError(.invalidArgument, operation: "test")
        }
      }
      var peers: [RawPeer] = []
      for message: Bytes in ["write", "fail"] {
        let peer = RawPeer(stream: try await loop.tcp.connect(to: address).value)
        try await peer.shakeHands()
        try await peer.send(frame(0x81, message))
        peers.append(peer)
      }
      try await loop.until { heard.values.count == peers.count }
      loop.shutdownGracefully(within: .seconds(10)) { _ in }
      #expect(try await peers[0].read() == Received(first: 0x01, payload: "a"))
      #expect(try await peers[0].read() == Received(first: 0x80, payload: ""))
      for peer in peers {
        #expect(try await peer.read() == .close(1001))
        try await peer.send(frame(0x88, ""))
        #expect(try await peer.read() == nil)
        peer.stream.close()
      }
    }
  }
}
#endif
