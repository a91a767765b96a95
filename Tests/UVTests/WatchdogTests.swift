import Testing
import UV
import UVTestSupport

/// The tests' own end: one that waits for ever fails, and says what for.
@Suite struct WatchdogTests {
  @Test func aTestThatDoesNotEndIsStoppedAndSaysWhatItWaitsFor() async throws {
    try await withKnownIssue {
      try await withLoop(within: 0.05) { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        defer { listener.close() }
        _ = try? await listener.accept().value
      }
    } matching: { issue in
      issue.comments.contains { "\($0)".contains("it waits for") && "\($0)".contains("tcp") }
    }
  }
}
