import Testing
import UV
import UVTestSupport

/// Readers of connections that are prepared: whatever they do meanwhile, each that becomes ready is delivered, once.
@Suite struct PreparedReaderTests {
  private static let line = "PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n" as Bytes

  /// How the connections are asked for.
  enum Reader: CaseIterable {
    case iteration, requests, handler, handlerThatStops

    /// Gives each connection to `take`, and asks for the next once that is over.
    func begin(
      _ source: PreparedConnections<TCPConnection>, _ take: @escaping (TCPConnection) -> Request<Void>
    ) {
      switch self {
      case .iteration:
        _ = source.loop.spawn { () async throws(UVError) in
          for try await connection in source { try await take(connection).value }
        }
      case .requests:
        source.next { result in
          if let connection = result.value ?? nil { take(connection).start { _ in begin(source, take) } }
        }
      case .handler: source.start { if let connection = $0.value ?? nil { take(connection).start { _ in } } }
      case .handlerThatStops:
        source.start { result in
          guard let connection = result.value ?? nil else { return }
          source.stop()
          take(connection).start { _ in begin(source, take) }
        }
      }
    }
  }

  @Test(
    "Those that become ready while the reader is busy are kept for it, in their order",
    arguments: Reader.allCases, 1...3)
  func busy(reader: Reader, count: Int) async throws {
    try await withLoop { loop in
      let failures = Log<String>()
      let source = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"]) {
        failures.append("\($0)")
      }
      var (servers, goOn): ([TCPConnection], [Completion<Void>]) = ([], [])
      reader.begin(source) { connection in
        servers.append(connection)
        return Request(loop) { done in
          goOn.append(done)
          return PendingRequest()
        }
      }
      var clients: [TCPConnection] = []
      for number in 0...count {
        clients.append(try await loop.tcp.connect(to: source.localAddress()).value)
        try await loop.until { loop.statistics.accepted == number + 1 }
      }
      // The last one is the first that is ready.
      try await clients[count].write(Self.line).value
      try await loop.until { servers.count == 1 }
      for client in clients.dropLast().reversed() {
        try await client.write(Self.line).value
        try await loop.settle()
      }
      if reader != .handler { #expect(servers.count == 1) }
      while servers.count <= count {
        let before = servers.count
        for done in goOn { done(.success(())) }
        goOn = []
        try await loop.until { servers.count > before }
      }
      #expect(failures.values == [])
      let expected = try clients.reversed().map { try $0.localAddress() }
      #expect(try servers.map { try $0.peerAddress() } == expected)
      // They are open, and carry bytes both ways.
      for (client, server) in zip(clients.reversed(), servers) {
        try await client.write("question").value
        #expect(try await server.read(exactly: 8).value == "question")
        client.close()
        #expect(try await server.next().value == nil)
        server.close()
      }
      try await source.close().value
      for done in goOn { done(.success(())) }
      try await loop.settle()
    }
  }

  @Test func `A reader that was cancelled leaves its connection for the next one`() async throws {
    try await withLoop { loop in
      let source = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"])
      let log = Log<String>()
      let pending = source.next { log.append($0.error?.name ?? "connection") }
      let client = try await loop.tcp.connect(to: source.localAddress()).value
      try await loop.until { loop.statistics.accepted == 1 }
      pending.cancel()
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == ["ECANCELED"])
      try await client.write([Self.line, "hello"]).value
      try await loop.settle()
      let server = try #require(try await source.next().value)
      #expect(try await server.read(exactly: 5).value == "hello")
      server.close()
      client.close()
      source.close()
    }
  }
}
