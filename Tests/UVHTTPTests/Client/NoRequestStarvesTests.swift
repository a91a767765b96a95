#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// The contract of clients and pools towards everybody: while what one asks for is stuck, slow or greedy, each of the others
/// gets its turn or its error within its own limits.
@Suite struct NoRequestStarvesTests {
  /// How a server holds a request. None of them ends by itself.
  enum Bad: CaseIterable, Sendable {
    case saysNothing, tricklesItsHead, announcesForEver, neverEndsItsBody, readsNothing, floods
  }

  private nonisolated(nonsending) static func hold(
    _ connection: TCPConnection, _ bad: Bad, until isDone: () -> Bool
  ) async throws {
    var (first, next): (Bytes, Bytes) = ("", "")
    switch bad {
    case .saysNothing: return
    case .readsNothing: return connection.stop()
    case .tricklesItsHead: next = "H"
    case .announcesForEver: next = "HTTP/1.1 103 Early Hints\r\n\r\n"
    case .neverEndsItsBody:
      (first, next) = ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n")
    case .floods: (first, next) = ("HTTP/1.1 200 OK\r\n\r\n", Bytes(repeating: 0x78, count: 4000))
    }
    if bad == .tricklesItsHead { first = "HTTP/1.1 200 OK\r\nA: " }
    try await connection.write(first).value
    while !isDone() {
      try await connection.write(next).value
      try await connection.loop.sleep(for: .milliseconds(10)).value
    }
  }

  @Test(
    "The only connection is free for others when a request's total is over, whatever its server does",
    arguments: Bad.allCases)
  func client(bad: Bad) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      var isDone = false
      var connections: [TCPConnection] = []
      let serving = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          connections.append(connection)
          loop.spawn {
            let head = try? await connection.read(until: "\r\n\r\n", limit: 10_000).value
            if "\(head ?? "")".contains(" /bad ") {
              try? await Self.hold(connection, bad) { isDone }
            } else {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx") { _ in }
            }
          }
        }
      }
      var options = HTTPClientOptions()
      options.connections.resources = 1
      options.total = .seconds(1)
      let client = HTTPClient(loop, options: options)
      let url = "http://127.0.0.1:\(port)"
      let post = try #require(HTTPRequest(method: .post, url: url + "/bad"))
      let first = loop.spawn { () async -> String in
        await client.outcome(post, body: Bytes(repeating: 1, count: bad == .readsNothing ? 20_000_000 : 1))
      }
      try await loop.until { client.counts.leased + client.counts.creating == 1 }
      let code = try await loop.withDeadline(NobodyStarvesTests.bound) { await first.value }
      #expect(code == (bad == .announcesForEver ? "EPROTO" : "ETIMEDOUT"))
      #expect(await client.outcome(HTTPRequest(url: url + "/good")!) == "200 x")
      #expect(client.counts.leased == 0)
      isDone = true
      try await client.close().value
      listener.close()
      for connection in connections { connection.close() }
      try await serving.value
    }
  }

  @Test("Each waiter for a resource gets one or an error within the limit, whatever the others do")
  func pool() async throws {
    try await withLoop { loop in
      var limits = PoolLimits()
      (limits.resources, limits.waiters) = (1, 2)
      (limits.wait, limits.creation) = (.milliseconds(200), .milliseconds(100))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var isStuck = true
      // The first creation never ends by itself, and the resource's owner then never gives it back.
      let pool = Pool<TCPConnection>(loop, limits: limits, retry: RetryPolicy(attempts: 1)) {
        if isStuck {
          isStuck = false
          try await loop.sleep(for: .seconds(3600)).value
        }
        return try await loop.tcp.connect(to: address).value
      }
      try await loop.withDeadline(NobodyStarvesTests.bound) {
        await expectError(.timedOut, of: _ = try await pool.lease().value)
        let greedy = try await pool.lease().value
        let waiting = (0..<3).map { _ in
          loop.spawn { await failure { _ = try await pool.lease().value }?.code }
        }
        var codes: [UVError.Code?] = []
        for task in waiting { codes.append(await task.value) }
        #expect(codes.count(where: { $0 == .timedOut }) == 2 && codes.count(where: { $0 == .busy }) == 1)
        let patient = loop.spawn { try await pool.lease().value.giveBack() }
        loop.sleep(for: .milliseconds(50)) { _ in greedy.giveBack() }
        try await patient.value
      }
      try await pool.close().value
      listener.close()
    }
  }
}
#endif
