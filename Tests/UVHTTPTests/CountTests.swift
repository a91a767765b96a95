#if Everything
import CTestHooks
import Testing
import UVTestSupport

@testable import UVHTTP

/// What requests cost, counted.
@Suite(.enabled(if: Hooks.canCountAllocations)) struct CountTests {
  private static let get: Bytes = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// Runs a server that answers in a task, and a client of it.
  private func serve(
    spawns: Bool,
    _ client: nonisolated(nonsending) @escaping @Sendable (TCPConnection) async throws -> Void
  ) async throws {
    makeCertificates()
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let ok = HTTPResponse(status: .ok)
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          if spawns {
            loop.spawn {
              do { try await exchange.respond(ok, "Hello, world!").value } catch {}
            }
          } else {
            try await exchange.respond(ok, "Hello, world!").value
          }
        }
      }
      let connection = try await loop.tcp.connect(to: server.localAddress()).value
      try await client(connection)
      connection.close()
      server.close()
      try await serving.value
    }
  }

  nonisolated(nonsending) private static func ask(
    _ connection: TCPConnection, _ requests: Bytes, _ answers: Int
  ) async throws(UVError) {
    try await connection.write(requests).value
    for _ in 0..<answers {
      _ = try await connection.read(until: "Hello, world!", limit: 1000).value
    }
  }

  @Test("A request and its answer in a task cost four allocations, with those of the client")
  func oneByOne() async throws {
    try await serve(spawns: false) { connection in
      try await Self.ask(connection, Self.get, 1)
      let count = try await Hooks.leastAllocations {
        for _ in 0..<10 { try await Self.ask(connection, Self.get, 1) }
      }
      #expect(count <= 40)
    }
  }

  @Test("A task of its own for each request costs seven allocations more")
  func spawned() async throws {
    try await serve(spawns: true) { connection in
      try await Self.ask(connection, Self.get, 1)
      let count = try await Hooks.leastAllocations {
        for _ in 0..<10 { try await Self.ask(connection, Self.get, 1) }
      }
      #expect(count <= 110)
    }
  }

  @Test("Sixteen requests that come together cost a task two allocations each, and one job")
  func answeredAtOnce() async throws {
    try await serve(spawns: false) { connection in
      let requests = Bytes((0..<16).flatMap { _ in Array(Self.get) })
      try await Self.ask(connection, requests, 16)
      let count = try await Hooks.leastAllocations { try await Self.ask(connection, requests, 16) }
      #expect(count <= 36)
      let loop = connection.loop
      var jobs = Int.max
      for _ in 0..<20 {
        let before = loop.statistics.jobsFromLoop
        try await Self.ask(connection, requests, 16)
        jobs = min(jobs, loop.statistics.jobsFromLoop - before)
      }
      // The client's is another.
      #expect(jobs == 2)
    }
  }

  @Test("Sixteen requests that come together are answered by one write")
  func together() async throws {
    try await serve(spawns: true) { connection in
      let requests = Bytes((0..<16).flatMap { _ in Array(Self.get) })
      try await Self.ask(connection, requests, 16)
      let count = try await Hooks.leastAllocations { try await Self.ask(connection, requests, 16) }
      #expect(count <= 16 * 10)
      // The client's write is one, and the server's another.
      test_faults_arm(5, Int32(TEST_FAULT_SYSTEM.rawValue), .max, 1, "write")
      defer { test_faults_disarm() }
      let before = test_faults_calls("write") + test_faults_calls("writev")
      try await Self.ask(connection, requests, 16)
      let writes = test_faults_calls("write") + test_faults_calls("writev") - before
      #expect(writes == 2)
    }
  }

  @Test("A request of a client costs 60 allocations at most, with those of the server")
  func client() async throws {
    makeCertificates()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          while try await connection.read(until: "\r\n\r\n", limit: 1000).value != nil {
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: x\r\n\r\nok").value
          }
          connection.close()
        }
      }
      let client = HTTPClient(loop)
      let url = "http://127.0.0.1:\(try listener.localAddress().port)/hello"
      func ask() async throws(UVError) {
        let answer = try await client.get(url).value
        _ = try await answer.body.readToEnd(limit: 100).value
      }
      try await ask()
      let count = try await Hooks.leastAllocations { for _ in 0..<10 { try await ask() } }
      #expect(count <= 600)
      // All but the first found their connection at hand, or in the pool.
      #expect(client.counts.created == 1)
      try await client.close().value
      listener.close()
      try await serving.value
    }
  }
}
#endif
