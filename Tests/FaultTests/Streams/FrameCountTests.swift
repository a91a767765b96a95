import CTestHooks
import Testing
import UV
import UVTestSupport

/// What frames cost, counted.
@Suite(.enabled(if: Hooks.canCountAllocations)) struct FrameCountTests {
  struct Counts: Sendable {
    var allocations: UInt64
    var bytes: UInt64
    /// Calls of the system's `read` on sockets and files.
    var reads: Int

    static func now() -> Counts {
      Counts(
        allocations: test_allocations(), bytes: test_allocated_bytes(),
        reads: test_faults_calls("read"))
    }

    static func - (a: Counts, b: Counts) -> Counts {
      Counts(
        allocations: a.allocations - b.allocations, bytes: a.bytes - b.bytes,
        reads: a.reads - b.reads)
    }
  }

  /// The least that `body` costs in several rounds. Other threads of this process may count too.
  nonisolated(nonsending) private static func least(
    _ prepare: nonisolated(nonsending) () async throws -> Void,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> Counts {
    var least = Counts(allocations: .max, bytes: .max, reads: .max)
    // The calls are counted while a fault is armed, which never strikes.
    test_faults_arm(5, FaultLayer.system, .max, 1, "read")
    defer { test_faults_disarm() }
    for _ in 0..<10 {
      try await prepare()
      test_allocations_count(1)
      let before = Counts.now()
      try await body()
      let counts = Counts.now() - before
      test_allocations_count(0)
      least.allocations = min(least.allocations, counts.allocations)
      least.bytes = min(least.bytes, counts.bytes)
      least.reads = min(least.reads, counts.reads)
    }
    return least
  }

  static let command: Bytes = "*2\r\n$3\r\nGET\r\n$5\r\nkey:1\r\n"

  @Test("Sixteen pipelined commands cost one read of the system, and no memory for each in a task")
  func pipelined() async throws {
    try await withPair { loop, client, server in
      let commands = Bytes((0..<16).flatMap { _ in Array(Self.command) })
      let counts = try await Self.least {
        try await client.write(commands).value
      } _: {
        for _ in 0..<16 {
          _ = try await server.readLine(limit: 16).value
          for _ in 0..<2 {
            guard let line = try await server.read(until: "\r\n", limit: 16).value else { return }
            _ = try await server.read(exactly: line[1] == 0x33 ? 5 : 7).value
          }
        }
      }
      #expect(counts.reads == 1)
      // A debug build allocates for the one wait.
      #expect(counts.allocations <= 1)
    }
  }

  @Test func `A large frame is read into its own memory, and copied nowhere`() async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let size = 1 << 20
      let bulk = Bytes(repeating: 1, count: size)
      let counts = try await Self.least {
        far.write([Bytes("$1048576\r\n"), bulk, Bytes("\r\n")]) { _ in }
      } _: {
        _ = try await near.read(until: "\r\n", limit: 16).value
        let value = try await near.read(exactly: size).value
        #expect(value?.count == size)
        _ = try await near.read(exactly: 2).value
      }
      // Its own memory, and at most a new block for small reads.
      #expect(counts.bytes < 1 << 20 + 1 << 17, "\(counts)")
      #expect(counts.allocations < 40, "\(counts)")
      near.close()
      far.close()
    }
  }

  @Test func `A frame that came in several reads costs one block of memory`() async throws {
    try await withPair { loop, client, server in
      let counts = try await Self.least {
        try await client.write("a line that ").value
      } _: {
        let pending = server.readLine(limit: 100) { _ in }
        try await loop.sleep(for: .zero).value
        try await loop.sleep(for: .zero).value
        try await client.write("goes on\n").value
        try await loop.sleep(for: .zero).value
        try await loop.sleep(for: .zero).value
        pending.cancel()
      }
      let others = try await Self.least {
        try await client.write("a line that is whole, and is read at once\n").value
      } _: {
        let pending = server.readLine(limit: 100) { _ in }
        try await loop.sleep(for: .zero).value
        try await loop.sleep(for: .zero).value
        try await client.write("").value
        try await loop.sleep(for: .zero).value
        try await loop.sleep(for: .zero).value
        pending.cancel()
      }
      #expect(counts.allocations <= others.allocations + 1, "\(counts), \(others)")
    }
  }
}
