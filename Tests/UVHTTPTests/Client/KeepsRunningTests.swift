#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A loop runs until each request of a client has its answer.
@Suite struct KeepsRunningTests {
  @Test(
    "Requests are answered before the run ends, one right after another or on a connection that was idle",
    arguments: [0, 20])
  func each(pause: Int) async throws {
    let answers = Log<String>()
    try await withLoop { loop in
      // A byte in a turn, so that the client has to wait for each answer.
      let server = try ScriptedServer(loop, size: 1) { _, _ in
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ends: false)
      }
      let request = HTTPRequest(url: server.url)!
      try await Task.detached { try Self.ask(request, pause, answers) }.value
      server.close()
    }
    #expect(answers.values == Array(repeating: "ok", count: 4))
  }

  /// Asks one after another on a loop that only the client keeps running.
  ///
  /// - Parameter pause: Milliseconds between two requests, for which the connection is idle.
  private static func ask(_ request: HTTPRequest, _ pause: Int, _ answers: Log<String>) throws {
    try EventLoop.runCallbacks { loop in
      let client = HTTPClient(loop)
      func ask(_ left: Int) {
        if left == 0 { return _ = client.close().start { _ in } }
        client.send(request) { result in
          guard let answer = try? result.get() else { return answers.append("\(result)") }
          answer.body.readToEnd(limit: 10) { result in
            answers.append("\((try? result.get()) ?? "-")")
            loop.sleep(for: .milliseconds(pause)) { _ in ask(left - 1) }
          }
        }
      }
      ask(4)
    }
  }
}
#endif
