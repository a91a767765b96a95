import Testing
import UV
import UVTestSupport

/// Peers that have connected when a graceful shutdown begins: each is served, whoever asks for it, when, and whatever the
/// listener's limit is.
@Suite struct WaitingPeerTests {
  /// How the server asks for connections. It serves one after the other.
  enum Server: CaseIterable {
    case iteration, requests, accepts

    /// Serves each connection by `serve`, and asks for the next one after that.
    func begin(
      _ listener: TCPListener, _ serve: @escaping (TCPConnection, @escaping () -> Void) -> Void,
      _ ended: @escaping () -> Void
    ) {
      switch self {
      case .iteration:
        _ = listener.loop.spawn { () async throws(UVError) in
          for try await connection in listener {
            try await Request<Void>(listener.loop) { done in
              serve(connection) { done(.success(())) }
              return PendingRequest()
            }.value
          }
          ended()
        }
      case .requests:
        listener.next { result in
          guard let connection = result.value ?? nil else { return ended() }
          serve(connection) { begin(listener, serve, ended) }
        }
      case .accepts:
        listener.accept { result in
          guard let connection = result.value else { return ended() }
          serve(connection) { begin(listener, serve, ended) }
        }
      }
    }
  }

  @Test(
    "A server that serves one after the other gets all that wait, also beyond its limit",
    arguments: Server.allCases, [1, 2, Int.max])
  func busy(server: Server, limit: Int) async throws {
    for count in [1, 2, 4] {
      try await withLoop { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        listener.connectionLimit = limit
        var goOn: [() -> Void] = []
        var (served, hasEnded) = (0, false)
        server.begin(listener) { connection, next in
          served += 1
          let answer = Bytes("answer \(served)")
          // It is busy until it is let go on, and closes the connection then.
          goOn.append {
            connection.write(answer) { _ in
              connection.close()
              loop.queueMicrotask(next)
            }
          }
        } _: {
          hasEnded = true
        }
        var clients: [TCPConnection] = []
        for _ in 0..<count { clients.append(try await loop.tcp.connect(to: listener.localAddress()).value) }
        try await loop.until { served == 1 }
        let ending = loop.spawn { () async throws(UVError) in
          try await loop.shutdownGracefully(within: .seconds(20)).value
        }
        try await loop.settle()
        #expect(served == 1 && !hasEnded || count == 1)
        while served < count {
          let before = served
          goOn.removeFirst()()
          try await loop.until { served > before || hasEnded }
          if hasEnded { break }
        }
        #expect(served == count)
        for last in goOn { last() }
        for (number, client) in clients.enumerated() {
          #expect(try await client.readToEnd(limit: 100).value == Bytes("answer \(number + 1)"))
          client.close()
        }
        #expect(try await ending.value.count == 0)
        #expect(hasEnded)
      }
    }
  }

  @Test(
    "One whose reader never asks again is cut off at the limit of time, and counted",
    arguments: [1, 3, Int.max])
  func neverAsked(limit: Int) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = limit
      var clients: [TCPConnection] = []
      for _ in 0..<3 { clients.append(try await loop.tcp.connect(to: listener.localAddress()).value) }
      let server = try await listener.accept().value
      let report = try await loop.shutdownGracefully(within: .milliseconds(30)).value
      #expect(report.count == 3)
      #expect(Set(report.peers) == Set(try clients.map { try $0.localAddress() }))
      for client in clients {
        await expectError(.connectionReset, of: try await client.next().value)
        client.close()
      }
      #expect(server.isClosing)
      #expect(try await listener.next().value == nil)
    }
  }
}
