import Testing
import UV
import UVTestSupport

/// What a completion holds goes when it has been called, although the handle that it belonged to stays.
@Suite struct CompletionReleaseTests {
  private final class Token {}

  /// A call with a completion, which calls `called` at its end.
  private typealias Call = (name: String, make: (@escaping () -> Void) throws -> Void)

  private static func calls(
    _ loop: EventLoop, _ client: TCPConnection, _ server: TCPConnection, _ others: [Handle]
  ) -> [Call] {
    [
      ("write", { called in client.write("x") { _ in called() } }),
      ("large write", { called in client.write(Bytes(repeating: 1, count: 1 << 16)) { _ in called() } }),
      ("next", { called in server.next { _ in called() } }),
      ("drain", { called in client.drain().start { _ in called() } }),
      ("sleep", { called in loop.sleep(for: .zero) { _ in called() } }),
      ("work", { called in loop.work({ 1 }) { _ in called() } }),
      ("stat", { called in loop.files.stat("/") { _ in called() } }),
      ("quiescing", { called in server.quiescing().start { _ in called() } }),
      ("shutdown", { called in client.shutdown { _ in called() } }),
    ]
      + others.map { handle in ("close of \(handle)", { called in handle.close { _ in called() } }) }
      + others.map { handle in ("late close of \(handle)", { called in handle.close { _ in called() } }) }
  }

  @Test func `A completion is let go of once it has been called`() async throws {
    try await withPair { loop, client, server in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let timer = try LoopTimer(loop)
      let others: [Handle] = [
        listener, timer, try loop.udp.bind(host: "127.0.0.1", port: 0), try loop.signals(.user2), client,
        server,
      ]
      for call in Self.calls(loop, client, server, others) {
        weak var held: Token?
        var isCalled = false
        do {
          let token = Token()
          held = token
          try call.make { [token] in
            withExtendedLifetime(token) {}
            isCalled = true
          }
        }
        if call.name == "quiescing" { loop.shutdownGracefully(within: .seconds(1000)) { _ in } }
        try await loop.until { isCalled }
        try await loop.settle()
        #expect(held == nil, "\(call.name)")
      }
      withExtendedLifetime(others) {}
    }
  }
}
