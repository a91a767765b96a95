import Testing
import UV
import UVTestSupport

/// What the package's protocols use of a stream beside its public functions.
@Suite struct StreamPartsTests {
  @Test("A read timeout that is begun counts from then, whatever was set before", arguments: [0, 1, 2])
  func beginReadTimeout(before: Int) async throws {
    try await withPair { loop, client, server in
      let limit = Duration.milliseconds(100)
      // None, the same, or another one.
      if before > 0 { server.readTimeout = before == 1 ? limit : .seconds(1000) }
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      for _ in 0..<3 {
        try await loop.sleep(for: limit / 2).value
        if before == 1 || server.readTimeout == limit { #expect(reading.resultIfFinished == nil) }
        server.beginReadTimeout(limit, at: .now)
      }
      #expect(server.readTimeout == limit)
      let last = LoopClock.Instant.now
      await expectError(.timedOut, of: try await reading.value)
      #expect(last.duration(to: .now) >= limit)
      // It counts for the next reader, too.
      let again = LoopClock.Instant.now
      await expectError(.timedOut, of: try await server.next().value)
      #expect(again.duration(to: .now) >= limit)
      server.readTimeout = nil
      try await client.write("x").value
      #expect(try await server.next().value == "x")
    }
  }

  @Test("What is offered at once is taken as far as there is room, and never overtakes") func offerAtOnce()
    async throws
  {
    try await withPair { loop, client, server in
      #expect(client.offerAtOnce("") == 0)
      #expect(client.offerAtOnce("abc") == 3)
      #expect(client.writeQueueSize == 0)
      #expect(try await server.next().value == "abc")
      let much = Bytes(repeating: 1, count: 32 << 20)
      let taken = client.offerAtOnce(much)
      #expect(taken > 0 && taken < much.count && client.writeQueueSize == 0)
      // The caller writes the rest.
      client.write(Bytes(much.dropFirst(taken))) { _ in }
      #expect(client.offerAtOnce("overtakes") == 0)
      #expect(try await server.read(exactly: much.count).value == much)
      try await client.drain().value
      #expect(client.offerAtOnce("d") == 1)
      #expect(try await server.next().value == "d")
      try await client.shutdown().value
      #expect(client.offerAtOnce("x") == 0)
      await expectError(.brokenPipe, of: try await client.write("x").value)
      client.close()
      #expect(client.offerAtOnce("x") == 0)
    }
  }

  @Test("The system's bytes are seen before they are read, and so is the end") func hasUnreadInput()
    async throws
  {
    try await withPair { loop, client, server in
      #expect(!server.hasUnreadInput)
      try await client.write("ab").value
      try await loop.until { server.hasUnreadInput }
      #expect(server.unreadByteCount == 0)
      // Those that were read and left aren't the system's.
      #expect(try await server.read(exactly: 1).value == "a")
      #expect(!server.hasUnreadInput && server.unreadByteCount == 1)
      try await client.shutdown().value
      try await loop.until { server.hasUnreadInput }
      #expect(try await server.readToEnd(limit: 9).value == "b")
      server.close()
      #expect(server.hasUnreadInput)
    }
  }

  @Test("Bytes that are given back are the next that are read, in whatever way", arguments: 0..<6)
  func unread(way: Int) async throws {
    try await withPair { loop, client, server in
      try await client.write("one\ntwo").value
      let bytes = try #require(try await server.next().value)
      #expect(bytes == "one\ntwo")
      server.unread(Bytes(bytes.dropFirst(4)))
      #expect(server.unreadByteCount == 3)
      try await client.write("\nthree\n").value
      switch way {
      case 0: #expect(try await server.readLine(limit: 9).value == "two")
      case 1: #expect(try await server.read(exactly: 5).value == "two\nt")
      case 2: #expect(try await server.next().value == "two")
      case 3:
        var parts: [UInt8] = []
        for try await part in server {
          parts += Array(part)
          if parts.count == 10 { break }
        }
        #expect(parts == Array("two\nthree\n".utf8))
      case 4:
        var parts: [UInt8] = []
        server.start { if let part = $0.value ?? nil { parts += Array(part) } }
        try await loop.until { parts.count == 10 }
        #expect(parts == Array("two\nthree\n".utf8))
        server.stop()
      default:
        #expect(try server.tryRead(exactly: 3) == "two")
        #expect(server.unreadByteCount == 0)
      }
      client.close()
      _ = try await server.readToEnd(limit: 99).value
      server.unread("")
      #expect(server.unreadByteCount == 0)
      #expect(try await server.next().value == nil)
    }
  }

  @Test(
    "A head and a body that is sent again and again come whole, beside other writes",
    arguments: [0, 1, 49_151, 49_152, 262_144, 262_145])
  func repeated(count: Int) async throws {
    try await withPair { loop, client, server in
      let body = Bytes((0..<count).map { UInt8($0 % 251) })
      let rounds = 40
      var (done, expected) = (0, 0)
      let reading = loop.spawn { () async throws(UVError) in
        for number in 0..<rounds {
          let head = try await server.read(exactly: 4).value
          guard head == Bytes("\(1000 + number)") else { return "head \(number)" }
          guard try await server.read(exactly: count).value ?? "" == body else { return "body \(number)" }
          if number % 3 == 0, try await server.read(exactly: 5).value != "other" { return "other \(number)" }
        }
        return "all"
      }
      for number in 0..<rounds {
        expected += 1
        client.write(Bytes("\(1000 + number)"), thenRepeated: body) { if $0.error == nil { done += 1 } }
        if number % 3 == 0 {
          expected += 1
          client.write("other") { if $0.error == nil { done += 1 } }
        }
        if number % 4 == 0 { try await client.drain().value }
      }
      #expect(try await reading.value == "all")
      try await loop.until { done == expected }
    }
  }
}
