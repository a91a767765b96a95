import Testing
import UV
import UVTestSupport

/// A handover for which the process has no descriptor left.
@Suite(.serialized) struct HandoverLimitTests {
  @Test("A handover that can't have a descriptor changes nothing, and the next one begins anew")
  func noDescriptor() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for _ in 0..<2 {
        let log = Log<UVError.Code?>()
        let limit = DescriptorLimit()
        loop.handover("/bin/true", []) { log.append($0.error?.code) }
        for _ in 0..<5 where log.values.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
        limit.lift()
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [.tooManyOpenFiles])
        // It ends before it is ready.
        await expectError(.connectionAborted, of: try await loop.handover("/bin/true", []).value)
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let server = try await listener.accept().value
        for stream in [client, server] { stream.close() }
      }
      listener.close()
    }
  }
}
