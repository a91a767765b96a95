#if Everything
import Testing
import UV
import UVTestSupport

@testable import UVHTTP

/// Deadlines that begin late in a turn, when the loop's own time is old.
@Suite struct DeadlineTests {
  enum Limit { case total, head, idle }

  @Test(
    "A deadline that begins late in a turn is not early, on a new connection and on one that was kept",
    arguments: [(Limit.total, false), (.total, true), (.head, true), (.idle, true)])
  func late(limit: Limit, isKept: Bool) async throws {
    try await withLoop { loop in
      let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      let server = try ScriptedServer(loop) { _, request in (isKept && request == 1 ? ok : "", false) }
      var options = HTTPClientOptions()
      // The first request has to end within it.
      let length = Duration.milliseconds(300)
      switch limit {
      case .total: options.total = length
      case .head: options.headTimeout = length
      case .idle: options.idleTimeout = length
      }
      let client = HTTPClient(loop, options: options)
      if isKept { #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 ok") }
      // The loop's own time is as old as this callback by now.
      let busyUntil = loop.clock.now.advanced(by: .milliseconds(40))
      while loop.clock.now < busyUntil {}
      let start = loop.clock.now
      var end: (code: UVError.Code?, time: LoopClock.Instant)?
      client.send(HTTPRequest(url: server.url)!) { result in
        var code: UVError.Code?
        if case .failure(let error) = result { code = error.code }
        end = (code, loop.clock.now)
      }
      try await loop.until { end != nil }
      #expect(end!.code == .timedOut && start.duration(to: end!.time) >= length)
      try await client.close().value
      server.close()
    }
  }
}
#endif
