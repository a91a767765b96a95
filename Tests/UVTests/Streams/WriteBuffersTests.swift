import Testing
import UV
import UVTestSupport

@Suite("Writes of several buffers") struct WriteBuffersTests {
  @Test func `What the system takes at once doesn't suspend the task`() async throws {
    try await withPair { loop, client, server in
      var hasGivenWay = false
      loop.queueMicrotask { hasGivenWay = true }
      try await client.write(["hello ", "", "world"]).value
      #expect(!hasGivenWay)
      #expect(try await server.next().value == "hello world")
    }
  }

  @Test("More buffers than one call takes arrive in order", arguments: [0, 1, 1500])
  func order(size: Int) async throws {
    try await withPair { loop, client, server in
      let buffers = (0..<1500).map { index in
        index % 7 == 0 ? Bytes() : Bytes(repeating: UInt8(truncatingIfNeeded: index), count: size)
      }
      let results = Log<String>()
      let writer = loop.spawn { () async throws(UVError) in
        try await client.write(buffers).value
        client.write(buffers) { results.append("\($0.error?.name ?? "ok")") }
        client.write(buffers) { results.append("\($0.error?.name ?? "ok")") }
        try await client.write(buffers).value
        try await client.shutdown().value
      }
      var received: [UInt8] = []
      for try await part in server { received += part }
      try await writer.value
      var sent: [UInt8] = []
      for _ in 0..<4 { for bytes in buffers { sent += bytes } }
      #expect(received == sent)
      #expect(results.values == ["ok", "ok"])
    }
  }

  @Test func `A cancelled task's write, of which a part has left, goes on`() async throws {
    try await withPair { loop, client, server in
      let buffers = [Bytes(repeating: 1, count: 8 << 20), Bytes(repeating: 2, count: 10)]
      let writer = loop.spawn { () async throws(UVError) in try await client.write(buffers).value }
      try await loop.sleep(for: .zero).value
      writer.cancel()
      await expectError(.cancelled, of: try await writer.value)
      client.write("end") { _ in }
      client.shutdown { _ in }
      var received: [UInt8] = []
      for try await part in server { received += part }
      #expect(received.count == (8 << 20) + 13)
      #expect(Bytes(received.suffix(14)) == Bytes([1] + Array(repeating: 2, count: 10) + Array("end".utf8)))
    }
  }
}
