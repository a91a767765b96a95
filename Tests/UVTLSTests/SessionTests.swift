import Testing
import UVTLS
import UVTestSupport

/// Which sessions a client resumes, and where it keeps them.
@Suite struct SessionTests {
  private let certificates = Certificates.shared

  @Test(
    "Each connection after the first one is resumed, with shared ticket keys and without",
    arguments: [TLSOptions.Version.tls12, .tls13], [false, true])
  func pattern(version: TLSOptions.Version, hasKeys: Bool) async throws {
    var options = TLSOptions()
    options.maximumVersion = version
    if hasKeys { options.ticketKeys = try TLSTicketKeys() }
    let (server, client) = try (certificates.server(options: options), certificates.client())
    let pattern: String = try await withLoop { loop in
      var pattern = ""
      for _ in 0..<9 {
        pattern += try await resumes(loop, server, client) ? "R" : "f"
      }
      return pattern
    }
    #expect(pattern == "fRRRRRRRR")
  }

  /// Connects, or connects and says STARTTLS, and returns whether the session was resumed.
  private static func isResumed(
    _ loop: EventLoop, _ port: Int, _ context: TLSContext, half: Bool, host: String = "localhost"
  ) async throws -> Bool {
    let connection: TLSConnection
    if half {
      let plain = try await loop.tcp.connect(host: host, port: port).value
      try await plain.write("STARTTLS\n").value
      #expect(try await plain.readLine(limit: 100).value == "go ahead")
      connection = try await loop.tls.secure(plain, context, host: host).value
    } else {
      connection = try await loop.tls.connect(host: host, port: port, context).value
    }
    #expect(try await connection.next().value == "welcome")
    #expect(try await connection.next().value == nil)
    defer { connection.close() }
    return connection.isResumed
  }

  @Test("A client keeps sessions by host and port, also of connections that are secured half-way")
  func port() async throws {
    var options = TLSOptions()
    options.ticketKeys = try TLSTicketKeys()
    let (server, client) = try (certificates.server(options: options), certificates.client())
    try await withLoop { loop in
      let welcome: @Sendable (TLSConnection) async -> Void = { connection in
        _ = try? await connection.write("welcome").value
        _ = try? await connection.shutdown().value
        connection.close()
      }
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      _ = loop.spawn { for try await connection in listener { await welcome(connection) } }
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      _ = loop.spawn {
        for try await connection in plain {
          #expect(try await connection.readLine(limit: 100).value == "STARTTLS")
          try await connection.write("go ahead\n").value
          await welcome(try await loop.tls.secure(connection, server).value)
        }
      }
      let (port, other) = try (Int(listener.localAddress().port), Int(plain.localAddress().port))
      #expect(try await !Self.isResumed(loop, port, client, half: false))
      #expect(try await !Self.isResumed(loop, other, client, half: true))
      #expect(try await Self.isResumed(loop, port, client, half: false))
      #expect(try await Self.isResumed(loop, other, client, half: true))
      // The same place by another name is another host.
      #expect(try await !Self.isResumed(loop, port, client, half: false, host: "127.0.0.1"))
      #expect(try await !Self.isResumed(loop, other, client, half: true, host: "127.0.0.1"))
      #expect(try await Self.isResumed(loop, port, client, half: false, host: "LocalHost"))
      #expect(try await Self.isResumed(loop, other, client, half: true, host: "localhost"))
      listener.close()
      plain.close()
    }
  }
}
