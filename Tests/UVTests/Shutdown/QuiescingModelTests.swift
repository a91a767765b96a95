import Testing
import UV
import UVTestSupport

/// Several who wait for the end of one connection's service, of whom some leave: each of the others hears of it, once.
@Suite struct QuiescingModelTests {
  enum End: CaseIterable { case shutdown, close, reset }

  @Test("Each waiter is answered once, whoever has left before", arguments: 0..<8, End.allCases)
  func waiters(cancelled: Int, end: End) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      var outcomes: [[String]] = [[], [], []]
      let pending = (0..<3).map { index in
        server.quiescing { outcomes[index].append($0.error?.name ?? "ends") }
      }
      for index in 0..<3 where cancelled & (1 << index) != 0 {
        pending[index].cancel()
        pending[index].cancel()
        #expect(outcomes[index] == [])
      }
      try await loop.settle()
      for index in 0..<3 { #expect(outcomes[index] == (cancelled & (1 << index) != 0 ? ["ECANCELED"] : [])) }
      // One that comes after all have left is as the first.
      var last: [String] = []
      let lastPending = server.quiescing { last.append($0.error?.name ?? "ends") }
      #expect(!server.isQuiescing)
      switch end {
      case .shutdown: loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      case .close: server.close()
      case .reset: server.closeReset()
      }
      try await loop.until { !last.isEmpty }
      try await loop.settle()
      let expected = end == .shutdown ? "ends" : "ECANCELED"
      for index in 0..<3 {
        #expect(outcomes[index] == [cancelled & (1 << index) != 0 ? "ECANCELED" : expected])
      }
      #expect(last == [expected])
      for pending in pending + [lastPending] { pending.cancel() }
      // Who asks now is answered at once, but not on its stack.
      var late: [String] = []
      server.quiescing { late.append($0.error?.name ?? "ends") }
      #expect(late == [])
      try await loop.until { !late.isEmpty }
      #expect(late == [end == .shutdown ? "ends" : "EBADF"])
      #expect(server.isQuiescing == (end == .shutdown))
      try await loop.settle()
      #expect(last.count == 1 && outcomes.allSatisfy { $0.count == 1 })
      server.close()
      client.close()
      listener.close()
    }
  }

  @Test("A connection whose waiters have all left closes when it is dropped", arguments: [1, 2])
  func dropped(count: Int) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      weak var dropped: TCPConnection?
      var left = 0
      do {
        let server = try await listener.accept().value
        dropped = server
        let pending = (0..<count).map { _ in server.quiescing { _ in left += 1 } }
        for pending in pending { pending.cancel() }
      }
      try await loop.until { left == count }
      #expect(try await client.next().value == nil)
      #expect(dropped == nil)
      client.close()
      listener.close()
    }
  }
}
