import Testing
import UV
import UVTestSupport

/// Connections that end with their server by themselves.
@Suite struct FarewellTests {
  /// A server's and a client's end of a TCP connection, closed after `body`.
  private func withServer(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        EventLoop, _ server: TCPConnection, _ client: TCPConnection
      )
      async throws -> Void
  ) async throws {
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      try await body(loop, server, client)
      server.close()
      client.close()
      listener.close()
    }
  }

  @Test func `A reader that waits gets the end, and its peer the farewell before the end`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(farewell: "goodbye\n")
      let reading = loop.spawn { () async throws(UVError) in
        let line = try await server.readLine(limit: 9).value
        server.close()
        return line
      }
      let ending = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      #expect(try await client.readToEnd(limit: 99).value == "goodbye\n")
      client.close()
      #expect(try await reading.value == nil)
      #expect(try await ending.value.count == 0)
    }
  }

  @Test func `A connection that is idle, as in a pool, gets the farewell too`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(farewell: "goodbye\n")
      let idling = loop.spawn { () async throws(UVError) in
        try await server.idling().value
        server.close()
      }
      let ending = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      #expect(try await client.readToEnd(limit: 99).value == "goodbye\n")
      client.close()
      try await idling.value
      #expect(try await ending.value.count == 0)
    }
  }

  @Test func `A request that is being worked on is answered, and one that comes in time too`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(after: .milliseconds(100), farewell: "goodbye\n")
      let serving = loop.spawn { () async throws(UVError) in
        var count = 0
        while let line = try await server.readLine(limit: 9).value {
          count += 1
          // The first one is worked on while the server begins to end.
          if count == 1 { try await loop.settle { loop.isShuttingDown } }
          try await server.write([line, "!\n"]).value
        }
        server.close()
        return count
      }
      try await client.write("one\n").value
      try await loop.settle()
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      try await client.write("two\n").value
      #expect(try await client.readLine(limit: 9).value == "one!")
      #expect(try await client.readLine(limit: 9).value == "two!")
      #expect(try await client.readToEnd(limit: 99).value == "goodbye\n")
      client.close()
      #expect(try await serving.value == 2)
    }
  }

  // The time is what this is about: a peer is let go a second after its farewell.
  @Test func `A peer that is slow to take what was written isn't silent`() async throws {
    try await withServer { (loop, server, client) async throws in
      let much = Bytes(repeating: 0x78, count: 64 << 20)
      server.endWithServer(farewell: "goodbye\n")
      server.write(much) { _ in }
      server.start { result in
        if case .success(nil) = result { server.close() }
      }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      for _ in 0..<30 {
        #expect(try await client.read(exactly: 1 << 20).value?.count == 1 << 20)
        try await loop.sleep(for: .milliseconds(50)).value
      }
      let rest = try await client.readToEnd(limit: 64 << 20).value
      #expect(rest.count == (34 << 20) + 8 && rest.suffix(8).elementsEqual(Bytes("goodbye\n")))
    }
  }

  @Test func `A peer that goes on sending still gets the farewell, and its bytes are dropped`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(farewell: "goodbye\n")
      let log = Log<String>()
      server.start { log.append(($0.value ?? nil).map { "\($0)" } ?? "end") }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      #expect(try await client.readLine(limit: 99).value == "goodbye")
      for _ in 0..<10 { try await client.write("more").value }
      #expect(try await client.next().value == nil)
      #expect(log.values == [])
      client.close()
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == ["end"])
    }
  }

  @Test(
    "A peer that never ends, by silence or by sending without an end, doesn't keep its reader",
    arguments: [true, false])
  func stubborn(sends: Bool) async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer()
      let reading = loop.spawn { () async throws(UVError) in
        let bytes = try await server.next().value
        server.close()
        return bytes
      }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      #expect(try await client.next().value == nil)
      let sending = loop.spawn { () async throws(UVError) in
        let part = Bytes(Array(repeating: 0, count: 100_000))
        while sends { try await client.write(part).value }
      }
      #expect(try await reading.value == nil)
      client.close()
      _ = try? await sending.value
    }
  }

  @Test func `A part of a frame is cut short by the end, as by a peer's`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer()
      let reading = loop.spawn { () async throws(UVError) in try await server.readLine(limit: 9).value }
      try await client.write("half").value
      try await loop.settle { server.unreadByteCount == 4 }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      #expect(try await client.next().value == nil)
      client.close()
      await expectError(.endOfFile, of: try await reading.value)
    }
  }

  @Test("It may be said while the server ends already, and a client's connection is left alone")
  func late() async throws {
    try await withServer { (loop, server, client) async throws in
      client.endWithServer(farewell: "never\n")
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      server.endWithServer(after: .seconds(1000), farewell: "not this\n")
      server.endWithServer(farewell: "goodbye\n")
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      #expect(try await client.readLine(limit: 99).value == "goodbye")
      #expect(try await client.next().value == nil)
      client.close()
      #expect(try await reading.value == nil)
      server.close()
      // A closed connection has nothing to say.
      server.endWithServer(farewell: "goodbye\n")
    }
  }

  @Test(
    "A connection that closes before or after its farewell leaves nothing behind", arguments: [true, false])
  func closed(afterFarewell: Bool) async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(after: afterFarewell ? .zero : .seconds(1000), farewell: "goodbye\n")
      let log = Log<String>()
      server.next { log.append("\($0.error?.name ?? "end")") }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      if afterFarewell { #expect(try await client.readLine(limit: 99).value == "goodbye") }
      server.close()
      #expect(try await client.next().value == nil)
      #expect(log.values == ["ECANCELED"])
      client.close()
    }
  }

  @Test("A peer that has gone before the farewell ends the reading with its own end or error")
  func gone() async throws {
    try await withServer { (loop, server, client) async throws in
      server.endWithServer(after: .milliseconds(50), farewell: "goodbye\n")
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      try await client.closeReset().value
      await expectError(.connectionReset, of: try await reading.value)
    }
  }

  @Test func `Other timeouts go on: a shorter read timeout is the reader's error`() async throws {
    try await withServer { (loop, server, client) async throws in
      server.readTimeout = .milliseconds(5)
      server.endWithServer(after: .milliseconds(200), farewell: "goodbye\n")
      loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      await expectError(.timedOut, of: try await server.next().value)
      server.readTimeout = nil
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      #expect(try await client.readToEnd(limit: 99).value == "goodbye\n")
      client.close()
      #expect(try await reading.value == nil)
    }
  }

  @Test(
    "A peer that is sent a slow file gets the whole of it, and then the farewell",
    arguments: [nil, Duration.seconds(1000)])
  func slowFile(readTimeout: Duration?) async throws {
    try await withTemporaryDirectory { directory in
      try await withServer { (loop, server, client) async throws in
        try await loop.files.writeFile("\(directory)/a", "the file, ").value
        let file = try await loop.files.open("\(directory)/a").value
        server.readTimeout = readTimeout
        server.endWithServer(after: .milliseconds(10), farewell: "goodbye")
        let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
        try await withBusyPool(of: loop) {
          server.sendfile(file, count: 10) { _ in }
          loop.shutdownGracefully(within: .seconds(1000)) { _ in }
          for _ in 0..<2 { try await loop.sleep(for: .milliseconds(20)).value }
        }
        #expect(try await client.readToEnd(limit: 99).value == "the file, goodbye")
        client.close()
        #expect(try await reading.value == nil)
        try await file.close().value
      }
    }
  }
}
