import Testing
import UV
import UVTestSupport

/// The silence after which a peer gets the farewell: every byte begins it anew, however the program reads and whenever it
/// begins to, and whatever other timeouts it has set.
@Suite struct FarewellTimeTests {
  /// How the program reads.
  enum Reader: CaseIterable {
    case handler, requests, exactly, lines, iteration

    /// Reads until the end.
    func begin(_ server: TCPConnection, _ ended: @escaping () -> Void) {
      switch self {
      case .handler: server.start { if ($0.value ?? nil) == nil { ended() } }
      case .requests: server.next { if ($0.value ?? nil) == nil { ended() } else { begin(server, ended) } }
      case .exactly:
        server.read(exactly: 1) { if ($0.value ?? nil) == nil { ended() } else { begin(server, ended) } }
      // A frame that isn't complete fails.
      case .lines:
        server.readLine(limit: 100) { if ($0.value ?? nil) == nil { ended() } else { begin(server, ended) } }
      case .iteration:
        server.loop.spawn {
          do throws(UVError) { for try await _ in server {} } catch {}
          ended()
        }
      }
    }
  }

  /// Another timeout of the connection, which never passes.
  enum Other: CaseIterable {
    case none, read, write, idle, total

    func set(on stream: ByteStream) {
      switch self {
      case .none: break
      case .read: stream.readTimeout = .seconds(1000)
      case .write: stream.writeTimeout = .seconds(1000)
      case .idle: stream.idleTimeout = .seconds(1000)
      case .total: stream.totalTimeout = .seconds(1000)
      }
    }
  }

  /// A server's and a client's end of as many connections, in one loop, which has one end.
  private func withServers(
    _ count: Int,
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        EventLoop, [(server: TCPConnection, client: TCPConnection)]
      ) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var pairs: [(server: TCPConnection, client: TCPConnection)] = []
      for _ in 0..<count {
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        pairs.append((try await listener.accept().value, client))
      }
      try await body(loop, pairs)
      for pair in pairs {
        pair.server.close()
        pair.client.close()
      }
      listener.close()
    }
  }

  private static let silence = Duration.milliseconds(200)
  /// Each way to read beside each other timeout.
  private static let cases = Reader.allCases.flatMap { reader in
    Other.allCases.map { (reader: reader, other: $0) }
  }

  @Test("Each byte begins the silence anew, however it is read") func renewed() async throws {
    let cases = Self.cases
    try await withServers(cases.count) { (loop, pairs) async throws in
      try await loop.withTasks { tasks in
        for ((reader, other), (server, client)) in zip(cases, pairs) {
          other.set(on: server)
          server.endWithServer(after: Self.silence, farewell: "bye")
          var hasEnded = false
          reader.begin(server) { hasEnded = true }
          let reading = tasks.spawn { () async throws(UVError) in
            let bytes = try await client.readToEnd(limit: 99).value
            return (bytes, LoopClock.Instant.now)
          }
          tasks.spawn {
            var last = LoopClock.Instant.now
            for _ in 0..<6 {
              try await loop.sleep(for: Self.silence / 4).value
              if reading.resultIfFinished != nil { break }
              last = .now
              try await client.write("a\n").value
            }
            let (bytes, end) = try await reading.value
            #expect(bytes == "bye", "\(reader), \(other)")
            #expect(last.duration(to: end) >= Self.silence, "\(reader), \(other)")
            client.close()
            try await loop.until { hasEnded }
          }
        }
        loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      }
    }
  }

  @Test("A program that begins to wait after its server has begun to end gives its peer the whole silence")
  func begunLate() async throws {
    let cases = Self.cases
    try await withServers(cases.count) { (loop, pairs) async throws in
      for ((_, other), (server, _)) in zip(cases, pairs) {
        other.set(on: server)
        server.endWithServer(after: Self.silence, farewell: "bye")
      }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      // Nobody waits for the peers.
      try await loop.sleep(for: Self.silence / 3).value
      try await loop.withTasks { tasks in
        for ((reader, other), (server, client)) in zip(cases, pairs) {
          tasks.spawn {
            var hasEnded = false
            let begin = LoopClock.Instant.now
            reader.begin(server) { hasEnded = true }
            #expect(try await client.readToEnd(limit: 99).value == "bye", "\(reader), \(other)")
            #expect(begin.duration(to: .now) >= Self.silence, "\(reader), \(other)")
            client.close()
            try await loop.until { hasEnded }
          }
        }
      }
    }
  }

  @Test("A program that was busy when its server began to end isn't interrupted, and its answer comes first")
  func busy() async throws {
    try await withServers(Reader.allCases.count) { (loop, pairs) async throws in
      for (server, client) in pairs {
        server.endWithServer(after: Self.silence / 4, farewell: "bye")
        let first = loop.spawn { () async throws(UVError) in try await server.next().value }
        try await client.write("request").value
        #expect(try await first.value == "request")
      }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      try await loop.withTasks { tasks in
        for (reader, (server, client)) in zip(Reader.allCases, pairs) {
          tasks.spawn {
            let reading = loop.spawn { () async throws(UVError) in try await client.readToEnd(limit: 99).value
            }
            try await loop.sleep(for: Self.silence).value
            #expect(reading.resultIfFinished == nil)
            try await server.write("answer, ").value
            var hasEnded = false
            reader.begin(server) { hasEnded = true }
            #expect(try await reading.value == "answer, bye", "\(reader)")
            client.close()
            try await loop.until { hasEnded }
          }
        }
      }
    }
  }

  @Test("What was said last counts, as long as the farewell hasn't been written", arguments: [false, true])
  func saidAgain(whileEnding: Bool) async throws {
    try await withServers(1) { (loop, pairs) async throws in
      let (server, client) = pairs[0]
      server.endWithServer(after: .seconds(1000), farewell: "first")
      var hasEnded = false
      Reader.handler.begin(server) { hasEnded = true }
      if whileEnding { loop.shutdownGracefully(within: .seconds(1000)) { _ in } }
      try await loop.settle()
      server.endWithServer(after: Self.silence / 4, farewell: "second")
      if !whileEnding { loop.shutdownGracefully(within: .seconds(1000)) { _ in } }
      #expect(try await client.readToEnd(limit: 99).value == "second")
      // It has been written.
      server.endWithServer(farewell: "third")
      client.close()
      try await loop.until { hasEnded }
    }
  }
}
