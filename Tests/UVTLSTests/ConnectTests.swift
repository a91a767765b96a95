import Testing
import UVPromises
import UVTLS
import UVTestSupport

/// Listening, connecting, securing: by TCP.
@Suite struct ConnectTests {
  private let certificates = Certificates.shared

  @Test("A listener without a host serves both families", arguments: ["127.0.0.1", "::1"])
  func families(host: String) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(port: 0, server)
      let place = try SocketAddress(host, port: Int(listener.localAddress().port))
      let plain = try await loop.tcp.connect(to: place).value
      let securing = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(plain, client, host: "localhost").value
      }
      let accepted = try await listener.accept().value
      let secured = try await securing.value
      #expect(try accepted.peerAddress() == secured.localAddress())
      for stream in [accepted, secured] { stream.close() }
      listener.close()
    }
  }

  @Test("A listener delivers connections whose handshake is done; one that fails ends alone")
  func listener() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    let stranger = try TLSContext.client()
    let failures = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, onHandshakeFailure: { failures.append($0.description) })
      let port = try Int(listener.localAddress().port)
      let serving = loop.spawn { () async throws(UVError) in
        var count = 0
        for try await connection in listener {
          count += 1
          loop.spawn {
            do throws(UVError) {
              for try await chunk in connection { try await connection.write(chunk).value }
            } catch { Issue.record("\(error)") }
            connection.close()
          }
        }
        return count
      }
      for _ in 0..<3 {
        let connection = try await loop.tls.connect(host: "localhost", port: port, client).value
        try await connection.write("echo").value
        #expect(try await connection.next().value == "echo")
        try await connection.shutdown().value
        #expect(try await connection.next().value == nil)
        connection.close()
      }
      do {
        _ = try await loop.tls.connect(host: "localhost", port: port, stranger).value
        Issue.record("connected")
      } catch {
        #expect("\(error)" == "connect localhost:\(port): unable to get local issuer certificate (TLS)")
      }
      // A peer that doesn't speak TLS at all.
      let plain = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await plain.write("GET / HTTP/1.1\r\n\r\n").value
      _ = try? await plain.readToEnd(limit: 1000).value
      plain.close()
      try await loop.until { failures.values.count >= 2 }
      #expect(
        failures.values.sorted() == [
          "accept: http request (TLS)", "accept: the peer has sent the alert unknown CA (TLS)",
        ])
      listener.close()
      #expect(try await serving.value == 3)
    }
  }

  @Test func `A handshake that takes too long ends, and frees all it had`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let silent = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try Int(silent.localAddress().port)
      await expectError(
        .timedOut,
        of: try await loop.tls.connect(
          host: "127.0.0.1", port: port, client, handshakeTimeout: .milliseconds(20)
        ).value)
      await expectError(
        .timedOut,
        of: try await loop.tls.connect(host: "127.0.0.1", port: port, client).timeout(
          after: .milliseconds(20)
        ).value)
      silent.close()
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, handshakeTimeout: .milliseconds(20),
        onHandshakeFailure: { failures.append($0.code) })
      listener.start { _ in }
      let idle = try await loop.tcp.connect(to: listener.localAddress()).value
      #expect(try await idle.next().value == nil)
      #expect(failures.values == [.timedOut])
      idle.close()
      listener.close()
    }
  }

  @Test("A request to connect can be cancelled at any time", arguments: 0..<12)
  func cancelled(turns: Int) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      listener.start { if case .success(let connection?) = $0 { connection.close() } }
      let port = try Int(listener.localAddress().port)
      let log = Log<UVError.Code?>()
      let pending = loop.tls.connect(host: "127.0.0.1", port: port, client) { result in
        if case .success(let connection) = result { connection.close() }
        log.append(result.error?.code)
      }
      for _ in 0..<turns { try await loop.sleep(for: .zero).value }
      pending.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.cancelled] || log.values == [nil])
      listener.close()
    }
  }

  @Test("A connection that nobody reads rests after its handshake, and what comes then waits in the system")
  func restsAfterHandshake() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let connecting = loop.tls.connect(
        host: "localhost", port: try Int(listener.localAddress().port), client)
      let accepting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      let near = try await connecting.value
      let far = try await accepting.value
      try await near.write("early").value
      while near.isActive || far.isActive { try await loop.sleep(for: .zero).value }
      #expect(try await far.next().value == "early")
      while far.isActive { try await loop.sleep(for: .zero).value }
      // A reader that asks while the handshake's last bytes are being delivered is served, too.
      let log = Log<Bytes>()
      listener.start { result in
        guard case .success(let connection?) = result else { return }
        connection.start { if case .success(let bytes?) = $0 { log.append(bytes) } }
      }
      let second = try await loop.tls.connect(
        host: "localhost", port: try Int(listener.localAddress().port), client
      ).value
      for part in ["one", "two"] as [Bytes] {
        try await second.write(part).value
        while log.values.last != part { try await loop.sleep(for: .zero).value }
      }
      for connection in [near, far, second] { connection.close() }
      listener.close()
    }
  }

  @Test func `A plain connection is secured half-way, with what it has read already`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withPair { loop, plainClient, plainServer in
      let serving = loop.spawn { () async throws -> Bytes? in
        #expect(try await plainServer.readLine(limit: 100).value == "STARTTLS")
        try await plainServer.write("go ahead\r\n").value
        let secured = try await loop.tls.secure(plainServer, server).value
        #expect(plainServer.isClosing)
        let line = try await secured.readLine(limit: 100).value
        secured.close()
        return line
      }
      // The first message of the handshake comes with the line before it, as one chunk.
      let (near, far) = try loop.pipes.socketPair()
      let connecting = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(far, client, host: "localhost").value
      }
      let hello = try #require(try await near.next().value)
      try await plainClient.write(["STARTTLS\r\n", hello]).value
      #expect(try await plainClient.readLine(limit: 100).value == "go ahead")
      near.start { if case .success(let bytes?) = $0 { plainClient.write(bytes) { _ in } } }
      plainClient.start { if case .success(let bytes?) = $0 { near.write(bytes) { _ in } } }
      let secured = try await connecting.value
      try await secured.write("in secret\n").value
      #expect(try await serving.value == "in secret")
      #expect(try await secured.next().value == nil)
      secured.close()
      near.close()
    }
  }

  @Test func `A TLS connection can go through another one`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withTLS { loop, near, far in
      let (inner, outer) = try await handshake(loop, near, far, server, client).get()
      let bytes = Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
      let writer = loop.spawn { () async throws(UVError) in
        try await outer.write(bytes).value
        try await outer.shutdown().value
      }
      #expect(try await inner.readToEnd(limit: 1_000_000).value == bytes)
      try await writer.value
      inner.close()
      outer.close()
    }
  }

  @Test("Handshakes on the thread pool come to the same", arguments: [TLSOptions.Version.tls12, .tls13])
  func onThreadPool(version: TLSOptions.Version) async throws {
    try await withTLS(
      server: {
        var options = TLSOptions()
        options.handshakesOnThreadPool = true
        options.maximumVersion = version
        return try Certificates.shared.server("rsa", options: options)
      },
      client: {
        var options = TLSOptions()
        options.handshakesOnThreadPool = true
        return try Certificates.shared.client(options: options)
      }
    ) { _, server, client in
      try await client.write("hello").value
      #expect(try await server.next().value == "hello")
      try await server.write("you too").value
      #expect(try await client.next().value == "you too")
    }
  }

  @Test("A loop that ends ends the handshakes, also those on the thread pool", arguments: [false, true])
  func loopEnds(onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let (server, client) = try (
      certificates.server("rsa", options: options), certificates.client(options: options)
    )
    let log = Log<UVError.Code?>()
    try await withThread {
      for turns in 0..<6 {
        try EventLoop.run { loop in
          let (near, far) = try loop.pipes.socketPair()
          loop.tls.secure(near, server) { log.append($0.error?.code) }
          loop.tls.secure(far, client, host: "localhost") { log.append($0.error?.code) }
          for _ in 0..<turns { try await loop.sleep(for: .zero).value }
          loop.stop()
        }
      }
    }
    #expect(log.values.count == 12)
  }

  @Test("A graceful shutdown ends the listener, and waits for the connections that it has accepted")
  func gracefulShutdown() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let port = try Int(listener.localAddress().port)
      let accepting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      let connection = try await loop.tls.connect(host: "127.0.0.1", port: port, client).value
      let accepted = try await accepting.value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      #expect(try connection.peerAddress() == accepted.localAddress())
      try accepted.setNoDelay()
      try accepted.setKeepAlive(.seconds(60))
      #expect(try await listener.next().value == nil)
      try await connection.write("still here").value
      #expect(try await accepted.next().value == "still here")
      #expect(shutdown.resultIfFinished == nil)
      accepted.close()
      #expect(try await shutdown.value.count == 0)
      connection.close()
    }
  }

  @Test(
    "A graceful shutdown delivers the connections whose handshakes are under way, and then ends the listener")
  func shutdownDuringHandshake() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let port = try Int(listener.localAddress().port)
      let serving = loop.spawn { () async throws(UVError) in
        var count = 0
        for try await connection in listener {
          count += 1
          while let bytes = try await connection.next().value { try await connection.write(bytes).value }
          connection.close()
        }
        return count
      }
      let plain = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await loop.until { loop.statistics.accepted != 0 }
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      // The listening socket closes, and refuses.
      while let other = try? await loop.tcp.connect(host: "127.0.0.1", port: port).value { other.close() }
      let connection = try await loop.tls.secure(plain, client, host: "localhost").value
      try await connection.write("a request").value
      #expect(try await connection.next().value == "a request")
      try await connection.shutdown().value
      #expect(try await serving.value == 1)
      #expect(try await shutdown.value.count == 0)
      connection.close()
    }
  }

  @Test func `A handshake ends at once when its connection is cut off`() async throws {
    let server = try certificates.server()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, onHandshakeFailure: { failures.append($0.code) })
      let accepting = loop.spawn { () async throws(UVError) in try await listener.next().value == nil }
      let silent = try await loop.tcp.connect(host: "127.0.0.1", port: Int(listener.localAddress().port))
        .value
      try await loop.until { loop.statistics.accepted != 0 }
      #expect(try await loop.shutdownGracefully(within: .milliseconds(5)).value.count == 1)
      #expect(try await accepting.value)
      #expect(failures.values == [.cancelled])
      silent.close()
    }
  }

  @Test func `What can't be secured is refused, and stays as it was`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withPair { loop, near, far in
      await expectError(.invalidArgument, of: try await loop.tls.secure(near, client).value)
      #expect(throws: UVError.self) { try loop.tls.listen(port: 0, client) }
      #expect(throws: UVError.self) { try loop.tls.listen(port: 0, server, handshakeLimit: 0) }
      #expect(throws: UVError.self) { try loop.tls.listen(port: 0, server, silentLimit: 0) }
      near.write("x") { _ in }
      near.write("y") { _ in }
      await expectError(.busy, of: try await loop.tls.secure(near, server).value)
      #expect(try await far.read(exactly: 2).value == "xy")
      try await near.shutdown().value
      await expectError(.brokenPipe, of: try await loop.tls.secure(near, server).value)
      try await near.close().value
      await expectError(.badDescriptor, of: try await loop.tls.secure(near, server).value)
    }
  }
}
