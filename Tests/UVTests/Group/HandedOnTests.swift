import Testing
import UV
import UVTestSupport

/// What a handler can do with its connection, whichever loop serves it and whoever has accepted it.
@Suite struct HandedOnTests {
  /// Ends a loop of a group, and waits until nothing can be sent there.
  private static func end(_ executor: LoopExecutor) async {
    executor.stop()
    while await code(of: { () async throws(UVError) in try await executor.submit { _ in } }) == nil {}
  }

  /// Ways to have a port served.
  enum Way: CaseIterable, Sendable { case serve, listen, serveOnLoop, listenOnLoop }

  private static func serve(
    _ way: Way, _ group: EventLoopGroup, _ balance: EventLoopGroup.Balance, _ loop: EventLoop,
    _ log: Log<String>
  ) async throws(UVError) -> SocketAddress {
    let executors = group.executors
    @Sendable func note(_ connection: TCPConnection) {
      let place = executors.firstIndex { $0.isOnLoop } ?? -1
      let isOwn = connection.loop.executor.isOnLoop && EventLoop.current === connection.loop
      log.append(
        "\(place) \(isOwn && !connection.isClosing && connection.isReadable && connection.isWritable)")
    }
    @Sendable func callback(_ connection: TCPConnection) {
      note(connection)
      connection.start { result in
        guard case .success(let bytes?) = result else { return _ = connection.close() }
        connection.write(bytes) { _ in }
      }
    }
    let handle: nonisolated(nonsending) @Sendable (TCPConnection) async -> Void = { connection in
      note(connection)
      do throws(UVError) {
        for try await bytes in connection { try await connection.write(bytes).value }
      } catch { if !error.isCancelled { log.append("\(error)") } }
    }
    return switch way {
    case .serve: try await group.serve(host: "127.0.0.1", port: 0, balance: balance, handle)
    case .listen: try await group.listen(host: "127.0.0.1", port: 0, balance: balance, callback)
    case .serveOnLoop:
      try await group.serve(host: "127.0.0.1", port: 0, balance: balance, on: loop, handle).value
    case .listenOnLoop:
      try await group.listen(host: "127.0.0.1", port: 0, balance: balance, on: loop, callback).value
    }
  }

  @Test(arguments: Way.allCases, [EventLoopGroup.Balance.system, .roundRobin])
  func `Each connection is answered, also where the loop whose turn it is has ended`(
    way: Way, balance: EventLoopGroup.Balance
  ) async throws {
    // None has ended, the second, and all but the first.
    for ended in [[], [1], [1, 2]] where ended.isEmpty || balance == .roundRobin {
      let log = Log<String>()
      try await withLoop { loop in
        let group = try EventLoopGroup(count: 3)
        let address = try await Self.serve(way, group, balance, loop, log)
        for place in ended { await Self.end(group.executors[place]) }
        for number in 0..<6 {
          let client = try await loop.tcp.connect(to: address).value
          // Twice, as what was handed on is to stay.
          for part in 0..<2 {
            let bytes = Bytes("\(number) \(part)")
            try await client.write(bytes).value
            #expect(
              try await client.read(exactly: bytes.count).timeout(after: .seconds(20)).value == bytes,
              "\(number)")
          }
          client.close()
        }
        _ = await group.shutdownGracefully(within: .zero)
      }
      #expect(log.values.count == 6 && log.values.allSatisfy { $0.hasSuffix("true") }, "\(log.values)")
      if balance == .roundRobin {
        let places = log.values.map { Int($0.prefix(1))! }
        #expect(places == [0, 1, 2, 0, 1, 2].map { ended.contains($0) ? 0 : $0 })
      }
    }
  }

  @Test(arguments: [false, true])
  func `The end of a group takes along what was handed on, and reports each connection once`(hasEnded: Bool)
    async throws
  {
    let log = Log<String>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let address = try await Self.serve(.listen, group, .roundRobin, loop, log)
      if hasEnded { await Self.end(group.executors[1]) }
      var clients: [TCPConnection] = []
      for _ in 0..<4 {
        let client = try await loop.tcp.connect(to: address).value
        try await client.write("x").value
        #expect(try await client.next().value == "x")
        clients.append(client)
      }
      let report = await group.shutdownGracefully(within: .zero)
      #expect(report.count == 4 && report.isComplete)
      #expect(
        Set(report.peers) == Set(try clients.map { client throws(UVError) in try client.localAddress() }))
      for client in clients {
        await expectError(.connectionReset, of: try await client.next().value)
        client.close()
      }
    }
  }
}
