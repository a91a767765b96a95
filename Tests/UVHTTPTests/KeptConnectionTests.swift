#if Everything
import HTTPTypes
import Testing
import UV
import UVTestSupport

@testable import UVHTTP

/// What a server counts for a request begins anew with the next one of the connection.
@Suite struct KeptConnectionTests {
  /// What takes long, or much, in each request, though never as much as it may.
  enum Part: CaseIterable {
    /// The client sends the head, or the body, bit by bit.
    case head, body
    /// It is silent between two requests, or in the middle of a body.
    case pause, silentBody
    /// The program takes its time, and the client for the answer.
    case handler, reader
    /// Sizes: fields, the body, and a body that nobody reads.
    case fields, size, unread
  }

  /// A limit, and how much of it a request uses: all of them together would be beyond it.
  private static let (limit, used, requests) = (Duration.milliseconds(1000), Duration.milliseconds(300), 5)

  @Test("A connection's last request may take as long, and be as long, as its first one")
  func each() async throws {
    var limits = HTTPLimits()
    (limits.headTimeout, limits.idleTimeout, limits.minimumRate) = (Self.limit, Self.limit, 1 << 20)
    (limits.fields, limits.body, limits.unreadBody) = (1000, 1000, 1000)
    try await serveEach(limits) { exchange in
      do throws(UVError) {
        let part = exchange.request.path
        if part == "/handler" { try await exchange.loop.sleep(for: Self.used).value }
        if part == "/unread" {
          try await exchange.respond(HTTPResponse(status: .ok), "0").value
        } else {
          let count = try await exchange.body.readToEnd(limit: 2000).value.count
          let body = part == "/reader" ? Bytes(repeating: 120, count: 1 << 22) : Bytes("\(count)")
          try await exchange.respond(HTTPResponse(status: .ok), body).value
        }
      } catch { Issue.record(error) }
    } client: { loop, connect in
      var streams: [(Part, ByteStream)] = []
      for part in Part.allCases { streams.append((part, try await connect())) }
      // All at once, since they wait.
      try await loop.withTasks { [streams] tasks in
        for (part, stream) in streams {
          tasks.spawn {
            for number in 1...Self.requests { try await self.ask(stream, part, number) }
            stream.close()
          }
        }
      }
    }
  }

  private nonisolated(nonsending) func ask(_ stream: ByteStream, _ part: Part, _ number: Int) async throws {
    let bodyCount = [.size, .unread].contains(part) ? 600 : 10
    let field = part == .fields ? "A: \(String(repeating: "a", count: 600))\r\n" : ""
    let head = "POST /\(part) HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: \(bodyCount)\r\n\r\n"
    let body = String(repeating: "b", count: bodyCount)
    if part == .pause { try await stream.loop.sleep(for: Self.used).value }
    try await write(head, to: stream, slowly: part == .head)
    if part == .silentBody {
      try await stream.write("b").value
      try await stream.loop.sleep(for: Self.used).value
      try await stream.write(Bytes(String(body.dropFirst()))).value
    } else {
      try await write(body, to: stream, slowly: part == .body)
    }
    if part == .reader { try await stream.loop.sleep(for: Self.used).value }
    let answer = try await stream.read(until: "\r\n\r\n", limit: 1000).value.map { "\($0)" } ?? "end"
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(part), request \(number): \(answer)")
    let length = answer.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
    guard let count = length.flatMap({ Int($0.dropFirst(16)) }) else { return }
    let text = try await stream.read(exactly: count).value
    if part != .reader {
      #expect(text == Bytes(part == .unread ? "0" : "\(bodyCount)"), "\(part), request \(number)")
    }
  }

  private nonisolated(nonsending) func write(_ text: String, to stream: ByteStream, slowly: Bool) async throws
  {
    if !slowly { return try await stream.write(Bytes(text)).value }
    let bytes = Bytes(text)
    for part in 0..<10 {
      let range = (bytes.count * part / 10)..<(bytes.count * (part + 1) / 10)
      try await stream.write(Bytes(bytes[range])).value
      try await stream.loop.sleep(for: Self.used / 10).value
    }
  }
}
#endif
