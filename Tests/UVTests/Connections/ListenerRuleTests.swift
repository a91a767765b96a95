import Testing
import UV
import UVTestSupport

/// Listening: rule 34. Rules 32 and 33 take descriptors away, and stand with the faults.
@Suite struct ListenerRuleTests {
  @Test(.rule(34)) func `A used address is reported by bind, not later`() async throws {
    try await withLoop { loop in
      let first = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try first.localAddress()
      #expect(throws: UVError(.addressInUse, operation: "bind", subject: address.description)) {
        try loop.tcp.listen(on: address)
      }
      try await first.close().value
    }
  }
}
