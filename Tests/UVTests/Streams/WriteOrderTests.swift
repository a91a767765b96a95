import Testing
import UV
import UVTestSupport

@Suite struct WriteOrderTests {
  @Test("A write without bytes ends after the writes before it, as with uv_write")
  func nothing() async throws {
    try await withPair { loop, client, server in
      let count = 32 << 20
      let log = Log<String>()
      client.write(Bytes(repeating: 7, count: count)) { if case .success = $0 { log.append("all") } }
      client.write(Bytes()) { if case .success = $0 { log.append("empty") } }
      client.write([]) { if case .success = $0 { log.append("no buffers") } }
      client.write([Bytes(), Bytes()]) { if case .success = $0 { log.append("two") } }
      let task = loop.spawn { () async throws(UVError) in
        try await client.write(Bytes()).value
        log.append("task")
        try await client.write([]).value
      }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      #expect(log.values == [], "the server hasn't read")
      #expect(try await server.read(exactly: count).value?.count == count)
      try await task.value
      try await client.drain().value
      #expect(log.values == ["all", "empty", "no buffers", "two", "task"])
      // Nothing is before it, and it doesn't wait for the peer.
      client.write(Bytes()) { if case .success = $0 { log.append("last") } }
      for _ in 0..<2 { try await loop.sleep(for: .zero).value }
      #expect(log.values.last == "last")
    }
  }

  @Test("A write without bytes that waits ends with the stream's close") func closed() async throws {
    try await withPair { loop, client, server in
      let log = Log<String>()
      client.write(Bytes(repeating: 7, count: 32 << 20)) {
        if case .failure(let error) = $0 { log.append("all: \(error.code)") }
      }
      client.write([]) { if case .failure(let error) = $0 { log.append("no buffers: \(error.code)") } }
      try await loop.sleep(for: .zero).value
      client.close()
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(log.values == ["all: \(UVError.Code.cancelled)", "no buffers: \(UVError.Code.cancelled)"])
    }
  }
}
