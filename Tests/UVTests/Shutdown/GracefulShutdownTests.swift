import Testing
import UV
import UVTestSupport

@Suite struct GracefulShutdownTests {
  /// A loop with a listener and both ends of some connections.
  func withConnections(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        EventLoop, TCPListener, _ clients: [TCPConnection], _ servers: [TCPConnection]
      ) async throws -> Void
  ) async throws {
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var clients: [TCPConnection] = []
      var servers: [TCPConnection] = []
      for _ in 0..<count {
        clients.append(try await loop.tcp.connect(to: listener.localAddress()).value)
        servers.append(try await listener.accept().value)
      }
      try await body(loop, listener, clients, servers)
      for connection in clients + servers { connection.close() }
      listener.close()
    }
  }

  @Test func connectionsThatEndInTimeAreNotCutOff() async throws {
    try await withConnections(3) { loop, listener, clients, servers in
      #expect(!loop.isShuttingDown)
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.sleep(for: .zero).value
      #expect(loop.isShuttingDown)
      // The connections still speak.
      try await clients[0].write("hello").value
      #expect(try await servers[0].next().value == "hello")
      #expect(listener.isClosing)
      #expect(shutdown.resultIfFinished == nil)
      for server in servers { server.close() }
      #expect(try await shutdown.value.hasCutOffNobody)
    }
  }

  @Test func whatIsLateIsResetAndNamed() async throws {
    try await withConnections(3) { loop, listener, clients, servers in
      servers[1].close()
      let report = try await loop.shutdownGracefully(within: .milliseconds(1)).value
      let late = try [clients[0], clients[2]].map { client throws(UVError) in try client.localAddress() }
      #expect(report.count == 2)
      #expect(Set(report.peers) == Set(late))
      await expectError(.connectionReset, of: try await clients[0].next().value)
      // The connections that this program made itself are its own affair.
      #expect(!clients[0].isClosing)
      #expect(servers.allSatisfy { $0.isClosing })
    }
  }

  @Test func anAcceptorComesToItsEnd() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.spawn { _ = try? await loop.shutdownGracefully(within: .zero).value }
      for try await _ in listener { Issue.record("a connection") }
      #expect(try await listener.next().value == nil)
    }
  }

  @Test func aHandlerComesToItsEnd() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.start { result in
        switch result {
        case .success(let connection): log.append(connection == nil ? "end" : "connection")
        case .failure(let error): log.append(error.name)
        }
      }
      loop.shutdownGracefully(within: .seconds(1)) { log.append("done \($0.value?.count ?? -1)") }
      #expect(log.values.isEmpty)
    }
    #expect(log.values == ["end", "done 0"])
  }

  @Test func aSecondSignalHurriesTheFirst() async throws {
    try await withConnections(1) { loop, listener, clients, servers in
      let first = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.sleep(for: .zero).value
      let second = try await loop.shutdownGracefully(within: .zero).value
      #expect(second.count == 1)
      #expect(try await first.value == second)
      #expect(try await loop.shutdownGracefully(within: .seconds(1000)).value == second)
    }
  }

  @Test func toStopWaitingStopsNothingElse() async throws {
    try await withConnections(1) { loop, listener, clients, servers in
      let log = Log<UVError.Code?>()
      let pending = loop.shutdownGracefully(within: .milliseconds(2)) { log.append($0.error?.code) }
      pending.cancel()
      pending.cancel()
      await expectError(.connectionReset, of: try await clients[0].next().value)
      #expect(log.values == [.cancelled])
    }
  }

  /// The whole of a server: it ends by itself when its last connection has.
  @Test func aServerEnds() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      loop.spawn {
        do {
          let client = try await loop.tcp.connect(to: address).value
          try await client.write("1").value
          #expect(try await client.next().value == "1")
          loop.shutdownGracefully(within: .seconds(1000)) { log.append("cut off: \($0.value?.count ?? -1)") }
          try await client.write("2").value
          #expect(try await client.next().value == "2")
          await expectError(.connectionRefused, of: try await loop.tcp.connect(to: address).value)
          client.close()
        } catch { Issue.record(error) }
      }
      for try await connection in listener {
        loop.spawn {
          do {
            for try await chunk in connection { try await connection.write(chunk).value }
            log.append("served")
          } catch { Issue.record(error) }
        }
      }
    }
    #expect(log.values == ["served", "cut off: 0"])
  }
}

extension ShutdownReport {
  /// Whether all connections ended by themselves.
  var hasCutOffNobody: Bool { count == 0 && peers.isEmpty && isComplete }
}
