#if Everything
import CTestHooks
import Testing
import UVTestSupport

@testable import UVHTTP

/// What messages cost, counted.
@Suite(.enabled(if: Hooks.canCountAllocations)) struct WebSocketCountTests {
  private nonisolated(nonsending) static func echo(_ socket: WebSocket) async throws {
    for try await message in socket { try await socket.send(message).value }
  }

  @Test(
    "A short message and its answer in a task cost twelve allocations at most, with those of the client",
    arguments: [UInt8(0x81), 0x82])
  func echoes(first: UInt8) async throws {
    try await withSocket(Self.echo) { peer in
      let message = frame(first, "hello")
      func exchange() async throws {
        try await peer.stream.write(message).value
        _ = try await peer.stream.read(exactly: 7).value
      }
      try await exchange()
      let count = try await Hooks.leastAllocations { for _ in 0..<10 { try await exchange() } }
      #expect(count <= 120)
      try await peer.close()
    }
  }

  @Test("Sixty-four messages that come together are answered by few writes, and pings between them, too")
  func together() async throws {
    try await withSocket(Self.echo) { peer in
      let messages = frames((0..<64).flatMap { _ in [frame(0x81, "hello"), frame(0x89, "ping")] })
      try await peer.stream.write(messages).value
      _ = try await peer.stream.read(exactly: 64 * (7 + 6)).value
      test_faults_arm(5, Int32(TEST_FAULT_SYSTEM.rawValue), .max, 1, "write")
      defer { test_faults_disarm() }
      let before = test_faults_calls("write") + test_faults_calls("writev")
      try await peer.stream.write(messages).value
      _ = try await peer.stream.read(exactly: 64 * (7 + 6)).value
      let writes = test_faults_calls("write") + test_faults_calls("writev") - before
      // One is the client's.
      #expect(writes <= 3)
      try await peer.close()
    }
  }
}
#endif
