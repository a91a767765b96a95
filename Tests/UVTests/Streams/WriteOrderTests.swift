import Testing
import UV
import UVTestSupport

@Suite struct WriteOrderTests {
  @Test func `A write without bytes ends after the writes before it, as with uv_write`() async throws {
    try await withPair { _, client, server in try await expectOrderOfEmptyWrites(client, server) }
  }

  @Test func `A write without bytes that waits ends with the stream's close`() async throws {
    try await withPair { loop, client, server in
      let log = Log<String>()
      client.write(Bytes(repeating: 7, count: 32 << 20)) {
        if case .failure(let error) = $0 { log.append("all: \(error.code)") }
      }
      client.write([]) { if case .failure(let error) = $0 { log.append("no buffers: \(error.code)") } }
      try await loop.sleep(for: .zero).value
      client.close()
      try await loop.until { log.values.count == 2 }
      #expect(log.values == ["all: \(UVError.Code.cancelled)", "no buffers: \(UVError.Code.cancelled)"])
    }
  }
}
