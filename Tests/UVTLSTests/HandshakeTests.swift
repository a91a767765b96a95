import Testing
import UVTLS
import UVTestSupport

/// Who is who, and what is agreed on.
@Suite struct HandshakeTests {
  private let certificates = Certificates.shared

  private func outcome(
    server: TLSContext, client: TLSContext, host: String = "localhost"
  ) async throws -> String {
    try await withLoop { loop in
      switch try await handshake(loop, server, client, host: host) {
      case .success(let (near, far)):
        // A server of TLS 1.3 learns of the client's objection after its own handshake.
        defer {
          near.close()
          far.close()
        }
        do throws(UVError) {
          try await near.write("x").value
          _ = try await far.next().value
          return "connected"
        } catch { return error.description }
      case .failure(let error): return error.description
      }
    }
  }

  @Test func `A client verifies chain, name and dates by default, and says what is wrong`() async throws {
    let (trusting, server) = try (certificates.client(), certificates.server())
    #expect(try await outcome(server: server, client: trusting) == "connected")
    #expect(try await outcome(server: server, client: trusting, host: "127.0.0.1") == "connected")
    #expect(
      try await outcome(server: server, client: trusting, host: "elsewhere.test")
        == "secure elsewhere.test: hostname mismatch (TLS)")
    #expect(
      try await outcome(server: server, client: trusting, host: "127.0.0.2")
        == "secure 127.0.0.2: IP address mismatch (TLS)")
    #expect(
      try await outcome(server: certificates.server("expired"), client: trusting)
        == "secure localhost: certificate has expired (TLS)")
    #expect(
      try await outcome(server: server, client: .client())
        == "secure localhost: unable to get local issuer certificate (TLS)")
    #expect(
      try await outcome(server: server, client: .client(trust: .certificates(certificates.path("other.pem"))))
        == "secure localhost: unable to get local issuer certificate (TLS)")
    #expect(
      try await outcome(server: server, client: .client(trust: .everyoneWithoutVerification)) == "connected")
  }

  @Test func `Versions that aren't in common are an alert, which the other end names`() async throws {
    var (old, new) = (TLSOptions(), TLSOptions())
    old.maximumVersion = .tls12
    new.minimumVersion = .tls13
    #expect(
      try await outcome(server: certificates.server(options: old), client: certificates.client())
        == "connected")
    #expect(
      try await outcome(
        server: certificates.server(options: new), client: certificates.client(options: old))
        == "secure localhost: the peer has sent the alert protocol version (TLS)")
  }

  @Test("The server's order decides which protocol is spoken, and none in common is an alert")
  func protocols() async throws {
    try await withTLS(
      server: { try Certificates.shared.server(protocols: ["h2", "http/1.1"]) },
      client: { try Certificates.shared.client(protocols: ["http/1.1", "h2"]) }
    ) { _, server, client in
      #expect(server.negotiatedProtocol == "h2")
      #expect(client.negotiatedProtocol == "h2")
    }
    #expect(
      try await outcome(
        server: certificates.server(protocols: ["h2"]), client: certificates.client(protocols: ["spdy"]))
        == "secure localhost: the peer has sent the alert no application protocol (TLS)")
    try await withTLS(server: { try Certificates.shared.server(protocols: ["h2"]) }) { _, server, _ in
      #expect(server.negotiatedProtocol == nil)
    }
  }

  @Test func `The name that a client asks for chooses the server's identity`() async throws {
    let server = try TLSContext.server(
      certificates.identity(),
      names: ["Second.test": certificates.identity("second"), "*.wild.test": certificates.identity("wild")])
    let client = try certificates.client()
    #expect(try await outcome(server: server, client: client) == "connected")
    #expect(try await outcome(server: server, client: client, host: "second.test") == "connected")
    #expect(try await outcome(server: server, client: client, host: "a.wild.test") == "connected")
    #expect(
      try await outcome(server: server, client: client, host: "a.b.wild.test")
        == "secure a.b.wild.test: hostname mismatch (TLS)")
  }

  @Test("An identity can be loaded when a client asks for it", arguments: [false, true])
  func choice(onThreadPool: Bool) async throws {
    let second = try certificates.identity("second")
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let server = try TLSContext.server(
      choosing: { loop, name in
        Request(loop) { done in
          loop.sleep(for: .milliseconds(1)) { _ in
            done(
              name == "second.test"
                ? .success(second) : .failure(UVError(.noSuchFile, operation: "choose", subject: name)))
          }
        }
      }, options: options)
    let client = try certificates.client()
    #expect(try await outcome(server: server, client: client, host: "second.test") == "connected")
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let connecting = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(far, client, host: "third.test").value
      }
      await expectError(.noSuchFile, of: try await loop.tls.secure(near, server).value)
      await expectError(.tls, of: try await connecting.value)
    }
  }

  @Test func `A server asks for certificates, and refuses clients without one if it must`() async throws {
    let trust = certificates.trust
    try await withTLS(
      server: { try Certificates.shared.server(clientCertificates: .required(trust)) },
      client: { try Certificates.shared.client("client") }
    ) { _, server, _ in
      #expect(server.peerCertificates.count == 1)
    }
    try await withTLS(server: { try Certificates.shared.server(clientCertificates: .optional(trust)) }) {
      _, server, _ in
      #expect(server.peerCertificates.isEmpty)
    }
    let required = try certificates.server(clientCertificates: .required(trust))
    var old = TLSOptions()
    old.maximumVersion = .tls12
    #expect(
      try await outcome(server: required, client: certificates.client(options: old))
        == "secure localhost: the peer has sent the alert handshake failure (TLS)")
    let stranger = try TLSIdentity(
      certificateChain: certificates.path("other.pem"), privateKey: certificates.path("other.key"))
    #expect(
      try await outcome(
        server: required, client: .client(trust: trust, identity: stranger, options: old)
      ).contains("the peer has sent the alert"))
  }

  @Test("A second connection resumes the first one's session", arguments: [TLSOptions.Version.tls12, .tls13])
  func resumption(version: TLSOptions.Version) async throws {
    var options = TLSOptions()
    options.maximumVersion = version
    let (server, client) = try (certificates.server(options: options), certificates.client())
    let other = try certificates.client()
    let resumed: [Bool] = try await withLoop { loop in
      var resumed: [Bool] = []
      for context in [client, client, client, other] {
        resumed.append(
          try await resumes(loop, server, context) { _, far in #expect(far.protocolVersion == version) })
      }
      return resumed
    }
    #expect(resumed == [false, true, true, false])
  }

  @Test func `Servers that share their ticket keys resume each other's sessions`() async throws {
    var options = TLSOptions()
    let key = Bytes((0..<80).map { UInt8($0) })
    let servers = try (0..<2).map { _ in
      options.ticketKeys = try TLSTicketKeys([key])
      return try certificates.server(options: options)
    }
    let client = try certificates.client()
    try await withLoop { loop in
      var resumed: [Bool] = []
      for server in servers { resumed.append(try await resumes(loop, server, client)) }
      #expect(resumed == [false, true])
    }
  }

  @Test(
    "Keys of tickets are rotated while servers use them: a ticket outlives one rotation, and not two",
    arguments: [TLSOptions.Version.tls12, .tls13])
  func rotatedTicketKeys(version: TLSOptions.Version) async throws {
    var options = TLSOptions()
    options.maximumVersion = version
    let keys = try TLSTicketKeys()
    options.ticketKeys = keys
    let server = try certificates.server(options: options)
    let client = try certificates.client()
    let resumed: [Bool] = try await withLoop { loop in
      var resumed: [Bool] = []
      for rotations in [0, 0, 1, 1, 2, 0] {
        for _ in 0..<rotations { try keys.rotate() }
        resumed.append(try await resumes(loop, server, client))
      }
      return resumed
    }
    #expect(resumed == [false, true, true, true, false, true])
  }

  @Test func `Keys go to the closure that asks for them`() async throws {
    let log = Log<String>()
    try await withTLS(client: {
      var options = TLSOptions()
      options.keyLog = { log.append($0) }
      return try Certificates.shared.client(options: options)
    }) { _, _, _ in
    }
    #expect(log.values.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") })
  }
}
