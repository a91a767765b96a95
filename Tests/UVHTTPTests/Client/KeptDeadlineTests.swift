#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Each limit of time counts for each request of a connection, whatever the connection has served and waited for before.
@Suite struct KeptDeadlineTests {
  enum Limit: CaseIterable, Sendable { case head, total, totalOfBody }

  /// What has been on the connection before the request that takes too long.
  enum Past: CaseIterable, Sendable {
    case quick, several, idleForLonger, idleTwice, slow, body, idleAfterBody
  }

  private static let length = Duration.milliseconds(250)
  private static let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
  private static let begun: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok"

  @Test("A request that takes too long ends in time on a connection that was kept, whatever was on it before")
  func kept() async throws {
    try await withLoop { loop in
      // All at once, since they wait.
      let tasks = Limit.allCases.flatMap { limit in
        Past.allCases.map { past in loop.spawn { () async throws in try await Self.check(limit, past, loop) }
        }
      }
      for task in tasks { try await task.value }
    }
  }

  private nonisolated(nonsending) static func check(_ limit: Limit, _ past: Past, _ loop: EventLoop)
    async throws
  {
    var isSilent = false
    let server = try ScriptedServer(loop, size: past == .body || past == .idleAfterBody ? 20 : .max) { _, _ in
      isSilent ? (limit == .totalOfBody ? Self.begun : "", false) : (Self.ok, false)
    }
    var options = HTTPClientOptions()
    options.connections.resources = 1
    if limit == .head { options.headTimeout = Self.length } else { options.total = Self.length }
    let client = HTTPClient(loop, options: options)
    defer {
      client.close()
      server.close()
    }
    func ask() async {
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok", "\(limit) \(past)")
    }
    await ask()
    switch past {
    case .quick, .body: break
    case .several: for _ in 0..<3 { await ask() }
    case .idleForLonger, .idleAfterBody: try await loop.sleep(for: Self.length * 2).value
    case .idleTwice:
      for _ in 0..<2 {
        try await loop.sleep(for: Self.length * 1.5).value
        await ask()
      }
    case .slow:
      for _ in 0..<3 {
        try await loop.sleep(for: Self.length / 2).value
        await ask()
      }
    }
    isSilent = true
    let start = loop.clock.now
    let sending = loop.spawn { () async in await client.outcome(HTTPRequest(url: server.url)!) }
    try await loop.withDeadline(.seconds(3)) {
      #expect(await sending.value == "ETIMEDOUT", "\(limit) \(past)")
    }
    #expect(start.duration(to: loop.clock.now) >= Self.length - .milliseconds(1))
    #expect(server.connections.count == 1)
    // The next request has all of its time again.
    isSilent = false
    await ask()
  }

  @Test(
    "A limit of one request doesn't end the next one, which has begun later", arguments: [Limit.head, .total])
  func next(limit: Limit) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pause = Duration.milliseconds(20)
      let serving = loop.spawn { () async throws in
        let connection = try await listener.accept().value
        while try await connection.read(until: "\r\n\r\n", limit: 1000).value != nil {
          try await loop.sleep(for: pause).value
          try await connection.write(Self.ok).value
        }
        connection.close()
      }
      var options = HTTPClientOptions()
      if limit == .head { options.headTimeout = Self.length * 2 } else { options.total = Self.length * 2 }
      let client = HTTPClient(loop, options: options)
      let url = "http://127.0.0.1:\(try listener.localAddress().port)/"
      // More than one limit in all.
      for _ in 0..<30 { #expect(await client.outcome(HTTPRequest(url: url)!) == "200 ok") }
      try await client.close().value
      try await serving.value
      listener.close()
    }
  }
}
#endif
