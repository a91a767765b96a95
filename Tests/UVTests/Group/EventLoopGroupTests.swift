import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct EventLoopGroupTests {
  /// Runs `body` on a loop of its own, beside a group, which is shut down afterwards; nothing of either is
  /// left.
  func withGroup(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, EventLoopGroup) async throws -> Void
  ) async throws {
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let group = try EventLoopGroup(count: count)
      try await body(loop, group)
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func eachLoopHasAThread() async throws {
    try await withGroup(3) { loop, group in
      #expect(group.executors.count == 3)
      for executor in group.executors {
        #expect(!executor.isOnLoop)
        let isThere = try await executor.submit { $0.executor === executor && executor.isOnLoop }
        #expect(isThere)
        let sum = await Task(executorPreference: executor) { (1...10).reduce(0, +) }.value
        #expect(sum == 55)
      }
      let turns = (0..<6).map { _ in group.next() }
      #expect(Set(turns.map(ObjectIdentifier.init)).count == 3)
      #expect(turns[0] === turns[3])
    }
  }

  @Test(arguments: [EventLoopGroup.Balance.system, .roundRobin])
  func aPortIsServedByAllLoops(balance: EventLoopGroup.Balance) async throws {
    let connections = balance == .system ? 64 : 6
    let served = Log<Int>()
    try await withGroup(3) { loop, group in
      let executors = group.executors
      let address = try await group.serve(host: "127.0.0.1", port: 0, balance: balance) { connection in
        served.append(executors.firstIndex { $0.isOnLoop }!)
        do {
          for try await chunk in connection { try await connection.write(chunk).value }
        } catch { Issue.record(error) }
      }
      #expect(address.port != 0)
      for number in 0..<connections {
        let client = try await loop.tcp.connect(to: address).value
        let bytes = Bytes("\(number)")
        try await client.write(bytes).value
        #expect(try await client.next().value == bytes)
        client.close()
      }
      let counts = Dictionary(grouping: served.values) { $0 }.mapValues(\.count)
      switch balance {
      // The system chooses by a hash: that one of three loops gets none of 64 has odds of 10⁻¹¹.
      case .system: #expect(counts.count == 3)
      case .roundRobin: #expect(counts == [0: 2, 1: 2, 2: 2])
      }
    }
  }

  @Test func aCallbackServes() async throws {
    try await withGroup(2) { loop, group in
      let address = try await group.listen(host: "127.0.0.1", port: 0) { connection in
        connection.start { result in
          guard case .success(let chunk?) = result else { return _ = connection.close() }
          connection.write(chunk) { _ in }
        }
      }
      for _ in 0..<4 {
        let client = try await loop.tcp.connect(to: address).value
        try await client.write("hello").value
        #expect(try await client.next().value == "hello")
        client.close()
      }
    }
  }

  @Test(arguments: [EventLoopGroup.Balance.system, .roundRobin])
  func aGracefulShutdownDrainsAndTellsWhatItCutOff(balance: EventLoopGroup.Balance) async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let ended = Log<UVError.Code?>()
      let address = try await group.serve(host: "127.0.0.1", port: 0, balance: balance) { connection in
        let code = await code { () async throws(UVError) in
          for try await chunk in connection { try await connection.write(chunk).value }
        }
        ended.append(code)
      }
      var clients: [TCPConnection] = []
      for _ in 0..<8 {
        let client = try await loop.tcp.connect(to: address).value
        try await client.write("hello").value
        #expect(try await client.next().value == "hello")
        clients.append(client)
      }
      for client in clients.dropFirst(3) { client.close() }
      let late = try clients.prefix(3).map { client throws(UVError) in try client.localAddress() }
      try await loop.until { ended.values.count >= 5 }
      let report = await group.shutdownGracefully(within: .zero)
      #expect(report.count == 3)
      #expect(ended.values == [nil, nil, nil, nil, nil, .cancelled, .cancelled, .cancelled])
      #expect(Set(report.peers) == Set(late))
      for client in clients.prefix(3) {
        await expectError(.connectionReset, of: try await client.next().value)
        client.close()
      }
      await expectError(.connectionRefused, of: try await loop.tcp.connect(to: address).value)
      // It has ended. A caller that asks after the end gets the same report, as it does from a loop.
      #expect(await group.shutdownGracefully(within: .seconds(1)) == report)
      await expectError(.loopClosed, of: try await group.serve(port: 0) { _ in })
    }
  }

  @Test func `A call that hurries a group's end takes no report from the call that waits`() async throws {
    // The second call may be the quicker one at each step.
    for _ in 0..<50 {
      try await withLoop { loop in
        let group = try EventLoopGroup(count: 2)
        let notified = Log<Void>()
        let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
          _ = try? await connection.quiescing().value
          notified.append(())
          _ = try? await connection.next().value
        }
        let client = try await loop.tcp.connect(to: address).value
        let patient = Task { await group.shutdownGracefully(within: .seconds(1000)) }
        try await loop.until { !notified.values.isEmpty }
        #expect(await group.shutdownGracefully(within: .zero).count == 1)
        #expect(await patient.value.count == 1)
        client.close()
      }
    }
  }

  @Test("While one loop of a group is stuck, the others stop to accept, and end what they have in its time")
  func stuck() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 3)
      let (stuck, others) = (group.executors[0], group.executors[1...])
      var clients: [TCPConnection] = []
      var addresses: [SocketAddress] = []
      for executor in others {
        let address = try await executor.submit { loop throws(UVError) in
          let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
          listener.start { result in
            if case .success(let connection?) = result { connection.start { _ in } }
          }
          return try listener.localAddress()
        }
        addresses.append(address)
        clients.append(try await loop.tcp.connect(to: address).value)
      }
      let release = DispatchSemaphore(value: 0)
      let isStuck = Log<Void>()
      try stuck.execute { _ in
        isStuck.append(())
        release.wait()
      }
      try await loop.settle { !isStuck.values.isEmpty }
      let shutdown = Task { await group.shutdownGracefully(within: .milliseconds(1)) }
      // What the others have is cut off in its time, and they listen no longer.
      for client in clients { await expectError(.connectionReset, of: try await client.next().value) }
      for address in addresses {
        await expectError(.connectionRefused, of: try await loop.tcp.connect(to: address).value)
      }
      release.signal()
      #expect(await shutdown.value.count == 2)
      for client in clients { client.close() }
    }
  }

  @Test func aPortInUseLeavesNoListener() async throws {
    try await withGroup(3) { loop, group in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      for balance in [EventLoopGroup.Balance.system, .roundRobin] {
        await expectError(
          .addressInUse, of: try await group.serve(host: "127.0.0.1", port: port, balance: balance) { _ in })
      }
      for executor in group.executors {
        let handles = try await executor.submit { $0.statistics.handles }
        #expect(handles == 0)
      }
      listener.close()
    }
  }

  @Test func aGroupThatIsDroppedEnds() async throws {
    let log = Log<UVError.Code?>()
    try await withLoop { loop in
      let before = openDescriptors().count
      var group: EventLoopGroup? = try EventLoopGroup(count: 2)
      let executors = group!.executors
      // A task that would never end by itself, on a loop that holds nothing of the group's.
      try await executors[0].submit { loop in
        _ = loop.spawn {
          let end = await code { () async throws(UVError) in try await loop.sleep(for: .untilCancelled).value
          }
          log.append(end)
        }
      }
      #expect(group!.executors.count == 2)
      group = nil
      // Its descriptors are counted after this, so its threads must have closed them.
      for executor in executors {
        while await code(of: { () async throws(UVError) in try await executor.submit { _ in } }) == nil {}
      }
      try await loop.until { openDescriptors().count <= before }
    }
    #expect(log.values == [.cancelled])
  }

  @Test func aGroupOfNothingIsRefused() async throws {
    try await withThread {
      #expect(throws: UVError(.invalidArgument, operation: "EventLoopGroup", subject: "0 loops (1 or more)"))
      {
        try EventLoopGroup(count: 0)
      }
      #expect(EventLoopGroup.defaultCount >= 1)
    }
  }

  @Test(.rule(35)) func `Listeners may share a port`() async throws {
    try await withLoop { loop in
      let first = try loop.tcp.listen(host: "127.0.0.1", port: 0, reusePort: true)
      let port = Int(try first.localAddress().port)
      let second = try loop.tcp.listen(host: "127.0.0.1", port: port, reusePort: true)
      #expect(try second.localAddress() == first.localAddress())
      await expectError(.addressInUse, of: try loop.tcp.listen(host: "127.0.0.1", port: port))
      let six = try loop.tcp.listen(host: "::1", port: 0, reusePort: true)
      #expect(try six.localAddress().isIPv6)
      for listener in [first, second, six] { listener.close() }
    }
  }

  @Test func aSocketFromElsewhere() async throws {
    try await withPair { loop, client, server in
      let copy = dup(try server.fileDescriptor())
      let connection = try loop.tcp.open(fileDescriptor: copy)
      server.close()
      try await client.write("hello").value
      #expect(try await connection.next().value == "hello")
      #expect(try connection.peerAddress() == client.localAddress())
      connection.close()
      await expectError(.badDescriptor, of: try loop.tcp.open(fileDescriptor: -1))
      let unconnected = socket(AF_INET, 1, 0)
      await expectError(.notConnected, of: try loop.tcp.open(fileDescriptor: unconnected))
      // It remained the caller's.
      #expect(close(unconnected) == 0)
    }
  }
}
