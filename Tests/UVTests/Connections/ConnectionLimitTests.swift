import Testing
import UV
import UVTestSupport

/// The most connections that a listener lets be open at a time.
@Suite struct ConnectionLimitTests {
  /// What a server has seen.
  private final class Count {
    var open = 0
    var most = 0
    var served = 0
  }

  @Test("A listener accepts no more than its limit at a time, and everybody in the end", arguments: [1, 3])
  func limit(limit: Int) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = limit
      let count = Count()
      listener.start { result in
        guard case .success(let connection?) = result else { return }
        count.open += 1
        count.most = max(count.most, count.open)
        loop.spawn {
          do throws(UVError) {
            for try await bytes in connection { try await connection.write(bytes).value }
            count.open -= 1
            count.served += 1
            try await connection.close().value
          } catch { Issue.record(error) }
        }
      }
      try await loop.withTasks { tasks in
        for _ in 0..<12 {
          tasks.spawn {
            let client = try await loop.tcp.connect(to: listener.localAddress()).value
            try await client.write("x").value
            #expect(try await client.next().value == "x")
            client.close()
          }
        }
      }
      try await loop.until { count.served >= 12 }
      #expect(count.most == limit)
      listener.close()
    }
  }

  @Test func `A higher limit takes effect at once, also for an iteration that waits`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = 1
      let address = try listener.localAddress()
      let first = try await loop.tcp.connect(to: address).value
      let second = try await loop.tcp.connect(to: address).value
      let one = try await listener.accept().value
      let other = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      try await loop.settle()
      #expect(other.resultIfFinished == nil)
      listener.connectionLimit = 2
      let two = try await other.value
      for connection in [first, second, one, two] { connection.close() }
      listener.close()
    }
  }

  @Test(
    "A place that becomes free is for the listener that has a peer, whichever of several full ones that is")
  func severalListeners() async throws {
    try await withLoop { loop in
      var accepted: [Int] = []
      var open: [TCPConnection] = []
      let listeners = try (0..<3).map { number in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        listener.connectionLimit = 1
        listener.start { result in
          guard case .success(let connection?) = result else { return }
          accepted.append(number)
          open.append(connection)
        }
        return listener
      }
      var clients: [TCPConnection] = []
      // Each comes after each other one, and after itself.
      let order = [0, 1, 2, 0, 2, 1, 0, 0, 1, 1, 2, 2]
      for number in order {
        clients.append(try await loop.tcp.connect(to: listeners[number].localAddress()).value)
        for _ in 0..<3 { try await loop.sleep(for: .zero).value }
        #expect(accepted.count == max(clients.count - 1, 1))
        if clients.count > 1 { open.removeFirst().close() }
        try await loop.until { accepted.count == clients.count }
      }
      #expect(accepted == order)
      for connection in open + clients { connection.close() }
      for listener in listeners { listener.close() }
    }
  }

  @Test("A listener without room can be stopped, closed, and shut down gracefully", arguments: 0..<3)
  func end(way: Int) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = 1
      let address = try listener.localAddress()
      let first = try await loop.tcp.connect(to: address).value
      let one = try await listener.accept().value
      let second = try await loop.tcp.connect(to: address).value
      let accepting = listener.next { result in
        switch result {
        // A graceful shutdown accepts the waiting clients.
        case .success(let connection?): #expect(way == 2); connection.close()
        case .success(nil): #expect(way == 1)
        case .failure(let error): #expect(way == 0 && error.isCancelled)
        }
      }
      try await loop.settle()
      switch way {
      case 0: accepting.cancel()
      case 1: listener.close()
      default:
        let shutdown = loop.shutdownGracefully(within: .seconds(30))
        let ending = loop.spawn { () async throws(UVError) in
          try await loop.settle()
          one.close()
        }
        #expect(try await shutdown.value.count == 0)
        try await ending.value
      }
      for connection in [first, second, one] { connection.close() }
      listener.close()
    }
  }
}
