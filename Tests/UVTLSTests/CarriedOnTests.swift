import Foundation
import Testing
import UVTLS
import UVTestSupport

/// What was set on a connection stays when TLS begins on it.
@Suite struct CarriedOnTests {
  private let certificates = Certificates.shared

  /// Two ends of a TCP connection that are secured, the server's after `prepare` has seen its plain end.
  private nonisolated(nonsending) func secured(
    _ loop: EventLoop, _ prepare: (TCPConnection) throws -> Void
  ) async throws -> (plain: TCPConnection, server: TLSConnection, client: TLSConnection) {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let far = try await loop.tcp.connect(to: listener.localAddress()).value
    let near = try await listener.accept().value
    listener.close()
    try prepare(near)
    let (server, client) = try await handshake(
      loop, near, far, try certificates.server(), try certificates.client()
    ).get()
    return (near, server, client)
  }

  private static func option(_ stream: ByteStream, _ level: Int32, _ name: Int32) throws -> Int32 {
    var (value, length): (Int32, socklen_t) = (0, 4)
    #expect(getsockopt(try stream.fileDescriptor(), level, name, &value, &length) == 0)
    return value
  }

  @Test("Timeouts, marks, the socket's options and whether the loop is kept running are carried on")
  func settings() async throws {
    try await withLoop { loop in
      let (plain, server, client) = try await secured(loop) { near in
        near.readTimeout = .seconds(3)
        near.writeTimeout = .seconds(4)
        near.idleTimeout = .seconds(5)
        near.totalTimeout = .seconds(6)
        near.highWaterMark = 12_345
        near.keepsLoopRunning = false
        try near.setNoDelay()
        try near.setKeepAlive(.seconds(77))
        try near.setSendBufferSize(30_000)
      }
      #expect(server.readTimeout == .seconds(3))
      #expect(server.writeTimeout == .seconds(4))
      #expect(server.idleTimeout == .seconds(5))
      #expect(server.totalTimeout == .seconds(6))
      #expect(server.highWaterMark == 12_345)
      #expect(!server.keepsLoopRunning)
      let tcp = Int32(IPPROTO_TCP)
      #expect(try Self.option(server, tcp, TCP_NODELAY) != 0)
      #expect(try Self.option(server, SOL_SOCKET, SO_KEEPALIVE) != 0)
      #if os(Linux)
      #expect(try Self.option(server, tcp, TCP_KEEPIDLE) == 77)
      #endif
      #expect(try 30_000...60_000 ~= server.sendBufferSize())
      // A handler that knows only the plain connection still has its way.
      #expect(plain.isClosing && plain.readTimeout == .seconds(3))
      plain.readTimeout = .seconds(1)
      plain.idleTimeout = nil
      #expect(server.readTimeout == .seconds(1) && server.idleTimeout == nil)
      // Once more, with TLS in TLS.
      let (inner, outer) = try await handshake(
        loop, server, client, try certificates.server(), try certificates.client()
      ).get()
      #expect(inner.readTimeout == .seconds(1) && inner.writeTimeout == .seconds(4))
      #expect(inner.highWaterMark == 12_345 && !inner.keepsLoopRunning)
      plain.writeTimeout = .seconds(2)
      #expect(inner.writeTimeout == .seconds(2))
      inner.close()
      outer.close()
    }
  }

  @Test func `A connection that blocks goes on to block`() async throws {
    try await withLoop { loop in
      for isBlocking in [false, true] {
        let (_, server, client) = try await secured(loop) { if isBlocking { try $0.setBlocking(true) } }
        #expect((fcntl(try server.fileDescriptor(), F_GETFL) & O_NONBLOCK == 0) == isBlocking)
        server.close()
        client.close()
      }
    }
  }

  @Test("A read timeout that was set on the plain connection ends the reads of the secured one")
  func readTimeout() async throws {
    try await withLoop { loop in
      let (_, server, client) = try await secured(loop) { $0.readTimeout = .milliseconds(5) }
      await expectError(.timedOut, of: try await server.next().value)
      client.close()
      server.close()
    }
  }

  @Test func `A write timeout that was set on the plain connection resets the secured one`() async throws {
    try await withLoop { loop in
      let (_, server, client) = try await secured(loop) { $0.writeTimeout = .milliseconds(20) }
      await expectError(.timedOut, of: try await server.write(Bytes(repeating: 1, count: 32 << 20)).value)
      #expect(server.isClosing)
      await expectFailure(.connectionReset, .tlsTruncated) { () async throws(UVError) in
        while try await client.next().value != nil {}
      }
      client.close()
    }
  }

  @Test("A waiter for the end of the service is notified, and a session that is idle then ends soon")
  func quiescing() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      var cancelled = PendingRequest()
      let (_, server, client) = try await secured(loop) { near in
        cancelled = near.quiescing { log.append("first \($0.error?.name ?? "ends")") }
        near.quiescing { result in
          log.append("second \(result.error?.name ?? "ends")")
          near.readTimeout = .milliseconds(5)
        }
      }
      #expect(log.values.isEmpty)
      cancelled.cancel()
      let session = loop.spawn { () async throws(UVError) in
        defer { server.close() }
        while try await server.next().value != nil {}
      }
      try await client.write("request").value
      #expect(loop.openConnectionCount == 1)
      let report = try await loop.shutdownGracefully(within: .seconds(1000)).value
      #expect(report.count == 0)
      await expectError(.timedOut, of: try await session.value)
      #expect(log.values == ["first ECANCELED", "second ends"])
      client.close()
    }
  }

  @Test func `A farewell is said by the session, which then ends as its peer expects`() async throws {
    try await withLoop { loop in
      let (_, server, client) = try await secured(loop) { near in
        near.endWithServer(after: .milliseconds(5), farewell: "goodbye\n")
      }
      let session = loop.spawn { () async throws(UVError) in
        defer { server.close() }
        while try await server.next().value != nil {}
      }
      try await client.write("request").value
      let ending = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      #expect(try await client.readToEnd(limit: 99).value == "goodbye\n")
      client.close()
      try await session.value
      #expect(try await ending.value.count == 0)
    }
  }

  @Test(
    "A handshake that is under way, or hasn't begun, hears of the end of its service",
    arguments: [false, true],
    [false, true])
  func handshakeInShutdown(isSilent: Bool, onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let context = try certificates.server(options: options)
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, context, handshakeTimeout: .seconds(1000),
        onHandshakeFailure: { failures.append($0.code) })
      listener.start { _ in }
      let silent = try await loop.tcp.connect(to: listener.localAddress()).value
      try await loop.until { loop.openConnectionCount != 0 }
      // The beginning of a record.
      if !isSilent { try await silent.write(Bytes([22, 3, 1, 2, 0, 1])).value }
      let report = try await loop.shutdownGracefully(within: .seconds(1000)).value
      #expect(report.count == 0)
      #expect(failures.values == [.timedOut])
      #expect(try await silent.next().value == nil)
      silent.close()
    }
  }
}
