#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A server with too few places serves, refuses and accepts again for as long as clients come and go.
@Suite struct RefusedTurnTests {
  private static let request: Bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(
    "Whoever comes is served if there is a place, refused if there is room for that, and waits otherwise",
    arguments: [(1, 1), (1, 2), (2, 1), (2, 3), (1, 0), (2, 0)])
  func turns(connections: Int, refused: Int) async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      (limits.connections, limits.refusedConnections) = (connections, refused)
      limits.lastSilence = .seconds(100)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      server.start { result in
        if case .success(let exchange?) = result { exchange.respond(HTTPResponse(status: .ok), "a") { _ in } }
      }
      let address = try server.localAddress()
      func connect() async throws -> TCPConnection { try await loop.tcp.connect(to: address).value }
      func status(_ stream: TCPConnection) async throws -> String {
        try await stream.write(Self.request).value
        let head = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        return "\(head ?? "the end")".split(separator: " ").dropFirst().first.map(String.init) ?? "none"
      }
      var served: [TCPConnection] = []
      for _ in 0..<connections {
        served.append(try await connect())
        #expect(try await status(served.last!) == "200")
        _ = try await served.last!.read(exactly: 1).value
      }
      var (accepted, refusals) = (connections, 0)
      for round in 0..<4 {
        if refused > 0 {
          // One after the other, more than there is room for at a time.
          for _ in 0..<(refused + 2) {
            let stream = try await connect()
            #expect(try await status(stream) == "503", "round \(round)")
            _ = try await stream.readToEnd(limit: 1000).value
            stream.close()
            refusals += 1
          }
          // All at once: those beyond the room come when others have gone.
          var crowd: [TCPConnection] = []
          for _ in 0..<(refused + 2) { crowd.append(try await connect()) }
          let asking = crowd.map { stream in loop.spawn { () async throws in try await status(stream) } }
          for (stream, task) in zip(crowd, asking) {
            #expect(try await task.value == "503", "round \(round)")
            stream.close()
          }
          refusals += refused + 2
        }
        try await loop.until { server.counts.refused == refusals }
        #expect(server.counts.connections == connections && server.counts.accepted == accepted)
        // One goes, and the next one has its place.
        served.removeFirst().close()
        if refused > 0 { try await loop.until { server.counts.connections < connections } }
        let next = try await connect()
        #expect(try await status(next) == "200", "round \(round)")
        _ = try await next.read(exactly: 1).value
        served.append(next)
        accepted += 1
        #expect(server.counts.accepted == accepted)
      }
      // The others have been served all the time.
      for stream in served {
        #expect(try await status(stream) == "200")
        stream.close()
      }
      server.close()
    }
  }
}
#endif
