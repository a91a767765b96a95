#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A loop runs until each request has its answer, and not for connections that are idle.
@Suite struct KeepsRunningTests {
  @Test(
    "Requests are answered before the run ends, one right after another or on a connection that was idle",
    arguments: [0, 20])
  func each(pause: Int) async throws {
    let answers = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn { () async throws in
        guard let connection = try await listener.next().value else { return }
        while try await connection.read(until: "\r\n\r\n", limit: 4000).value != nil {
          try await loop.sleep(for: .milliseconds(5)).value
          try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").value
        }
        connection.close()
      }
      let request = HTTPRequest(url: "http://127.0.0.1:\(try listener.localAddress().port)/")!
      try await Task.detached { try Self.ask(request, pause, answers) }.value
      try await serving.value
      listener.close()
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
