import Testing
import UV
import UVTestSupport

@Suite struct TCPTests {
  @Test func asyncEcho() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try listener.localAddress().port
      var served = 0
      let server = loop.spawn { () async throws(UVError) in
        let connection = try await listener.accept().value
        for try await chunk in connection {
          try await connection.write(chunk).value
          served += chunk.count
        }
        listener.close()
      }
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: Int(port)).value
      for i in 0..<100 {
        try await client.write(Bytes("message \(i)")).value
        let answer = try await client.next().value
        #expect(answer == Bytes("message \(i)"))
      }
      try await client.shutdown().value
      #expect(try await client.next().value == nil)
      try await server.value
      #expect(served > 0)
    }
  }

  @Test func callbackEcho() async throws {
    let log = Log<Bytes?>()
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      echoWithCallbacks(listener, loop.tcp.connect(to: try listener.localAddress()), log)
    }
    #expect(log.values == ["hello", nil])
  }

  @Test func aListenerThatHasAcceptedWhatWaitedCanBeDropped() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      // The connection waits with libuv by now; nobody has asked for it.
      for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      let server = try await listener.accept().value
      #expect(try server.peerAddress() == client.localAddress())
      #expect(!listener.isClosing)
      // Nothing is closed here: dropping the last references does it, and the loop ends.
    }
  }
}
