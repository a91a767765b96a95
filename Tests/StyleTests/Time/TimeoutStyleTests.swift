#if Everything
import Testing
import UV
import UVTestSupport

/// A stream's timeouts and the end of its service, reported in every style.
@Suite struct TimeoutStyleTests {
  @Test("A read that times out says so in every style", arguments: Style.allCases)
  func reading(style: Style) async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(5)
      try await loop.expectEnd(.timedOut, style, server.next())
      try await loop.expectEnd(.timedOut, style, server.read(exactly: 4))
      let log = Log<String>()
      let cancel = style.observe(server, on: loop, log) { $0.description }
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == ["ETIMEDOUT"])
      cancel()
    }
  }

  @Test("A write that times out says so in every style", arguments: Style.allCases)
  func writing(style: Style) async throws {
    try await withPair { loop, client, server in
      server.writeTimeout = .milliseconds(5)
      try await loop.expectEnd(
        .timedOut, style, server.write(Bytes([UInt8](repeating: 1, count: 32 << 20))))
    }
  }

  @Test("The end of a server's service is reported in every style", arguments: Style.allCases)
  func quiescing(style: Style) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let (log, cancelled) = (Log<UVError.Code?>(), Log<UVError.Code?>())
      let keep = style.start(server.quiescing(), on: loop, log)
      style.start(server.quiescing(), on: loop, cancelled)()
      try await loop.settle()
      #expect(log.values.isEmpty)
      // A subscriber that goes hears nothing.
      #expect(cancelled.values == (style == .publisher || style == .future ? [] : [.cancelled]))
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == [nil])
      try await loop.expectEnd(nil, style, server.quiescing())
      server.close()
      #expect(try await shutdown.value.count == 0)
      try await loop.expectEnd(.badDescriptor, style, server.quiescing())
      client.close()
      listener.close()
      withExtendedLifetime(keep) {}
    }
  }
}
#endif
