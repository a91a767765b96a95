import Testing
import UVTestSupport

@testable import UV

/// Long bytes that are sent again and again, of which the system gets a copy.
@Suite struct RepeatedBytesTests {
  /// Sends a head and a body many times, and compares what comes.
  private static func send(
    _ body: Bytes, times: Int, _ client: TCPConnection, to server: TCPConnection
  ) async throws {
    let results = Log<Bool>()
    for time in 0..<times {
      let head = Bytes("head \(time)\n")
      client.write(head, thenRepeated: body) { results.append($0.error == nil) }
      #expect(try await server.read(exactly: head.count).value == head)
      #expect(try await server.read(exactly: body.count).value == body)
    }
    try await client.drain().value
    #expect(results.values == Array(repeating: true, count: times))
  }

  @Test func `All of them come each time`() async throws {
    try await withPair { loop, client, server in
      let bodies = [
        SendfileTests.pattern(65536), SendfileTests.pattern(49_152), SendfileTests.pattern(262_144),
      ]
      for body in bodies { try await Self.send(body, times: 20, client, to: server) }
      for _ in 0..<5 { for body in bodies { try await Self.send(body, times: 1, client, to: server) } }
    }
  }

  @Test func `All of them come to a peer that reads late`() async throws {
    try await withPair { loop, client, server in
      let body = SendfileTests.pattern(200_000)
      try await Self.send(body, times: 16, client, to: server)
      let results = Log<Bool>()
      let times = 200
      for _ in 0..<times {
        client.write("head", thenRepeated: body) { results.append($0.error == nil) }
        // The next one is a write of its own.
        try await loop.sleep(for: .zero).value
      }
      for _ in 0..<times {
        #expect(try await server.read(exactly: 4).value == "head")
        #expect(try await server.read(exactly: body.count).value == body)
      }
      try await client.drain().value
      #expect(results.values == Array(repeating: true, count: times))
    }
  }

  @Test func `A body has a copy once it has been sent often`() {
    var bytes = RepeatedBytes()
    let body = SendfileTests.pattern(65536)
    for _ in 1..<RepeatedBytes.timesBeforeCopy { #expect(bytes.note(body) == nil) }
    let copy = bytes.note(body)
    #expect(copy?.bytes == body)
    #expect(bytes.note(body) === copy)
    // Others that come once don't take its place.
    let others = (0..<100).map { _ in Bytes(repeating: 1, count: 50_000) }
    for other in others { #expect(bytes.note(other) == nil) }
    #expect(bytes.note(body) === copy)
  }

  @Test func `Copies that nobody sends any more give way to others`() {
    var bytes = RepeatedBytes()
    let bodies = (0..<5).map { _ in Bytes(repeating: 1, count: 50_000) }
    for body in bodies[..<4] { for _ in 0..<RepeatedBytes.timesBeforeCopy { _ = bytes.note(body) } }
    for body in bodies[..<4] { #expect(bytes.note(body) != nil) }
    for _ in 0..<100 { #expect(bytes.note(bodies[4]) == nil) }
    for _ in 0..<2000 { _ = bytes.note(bodies[3]) }
    for _ in 1..<RepeatedBytes.timesBeforeCopy { _ = bytes.note(bodies[4]) }
    #expect(bytes.note(bodies[4]) != nil)
  }

  @Test func `They fail as other writes do`() async throws {
    try await withPair { loop, client, server in
      let body = SendfileTests.pattern(65536)
      try await Self.send(body, times: 20, client, to: server)
      try await client.shutdown().value
      let log = Log<UVError.Code?>()
      client.write("head", thenRepeated: body) { log.append($0.error?.code) }
      try await loop.until { log.values == [.brokenPipe] }
    }
  }
}
