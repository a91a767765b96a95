import COpenSSL
import Testing
import UVTLS
import UVTestSupport

/// The options that each context sets, as its peer sees them.
@Suite struct UsualOptionTests {
  private let certificates = Certificates.shared

  /// The suite that two ends agree on.
  private func suite(server: TLSOptions, client: TLSOptions) async throws -> String {
    let (server, client) = try (certificates.server(options: server), certificates.client(options: client))
    return try await withLoop { loop in
      let (near, far) = try await handshake(loop, server, client).get()
      let name = String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(far.raw)))
      #expect(name == String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(near.raw))))
      near.close()
      far.close()
      return name
    }
  }

  @Test(arguments: [TLSOptions.Version.tls12, .tls13])
  func `The server's order decides which cipher is used, not the client's`(version: TLSOptions.Version)
    async throws
  {
    let names =
      version == .tls12
      ? ["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256"]
      : ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"]
    for first in [0, 1] {
      var (server, client) = (TLSOptions(), TLSOptions())
      server.maximumVersion = version
      let own = [names[first], names[1 - first]].joined(separator: ":")
      let others = [names[1 - first], names[first]].joined(separator: ":")
      if version == .tls12 {
        (server.cipherList, client.cipherList) = (own, others)
      } else {
        (server.cipherSuites, client.cipherSuites) = (own, others)
      }
      #expect(try await suite(server: server, client: client) == names[first])
    }
  }

  @Test func `A server grants no renegotiation, and its connection goes on until the client insists`()
    async throws
  {
    var options = TLSOptions()
    options.maximumVersion = .tls12
    try await withTLS(server: { [options] in try Certificates.shared.server(options: options) }) {
      loop, server, client in
      server.start { result in if case .success(let bytes?) = result { server.write(bytes) { _ in } } }
      try await client.write("before").value
      #expect(try await client.next().value == "before")
      // SSL_OP_NO_RENEGOTIATION, which a client of this library has, too.
      _ = SSL_clear_options(client.raw, 1 << 30)
      #expect(SSL_renegotiate(client.raw) == 1)
      _ = SSL_do_handshake(client.raw)
      client.flushFilter()
      await expectError(.tls, of: try await client.next().value)
      #expect(SSL_session_reused(server.raw) == 0 && server.protocolVersion == .tls12)
    }
  }

  /// How a context is made.
  enum Maker: CaseIterable {
    case server, choosing, client
  }

  private func make(_ maker: Maker, _ name: String, _ identity: TLSIdentity) throws -> TLSContext {
    switch maker {
    case .server: try .server(identity, protocols: ["a", name])
    case .choosing:
      try .server(choosing: { loop, _ in Request(loop) { _ in PendingRequest() } }, protocols: [name])
    case .client: try .client(trust: .everyoneWithoutVerification, protocols: [name, "a"])
    }
  }

  @Test(arguments: [0, 1, 2, 255, 256, 257, 511, 512])
  func `The name of a protocol has 1 to 255 bytes, at a client and at a server`(count: Int) async throws {
    let name = String(repeating: "x", count: count)
    let identity = try certificates.identity()
    for maker in Maker.allCases {
      do {
        _ = try make(maker, name, identity)
        #expect(1...255 ~= count, "\(maker)")
      } catch let error as UVError {
        #expect(!(1...255 ~= count) && error.code == .invalidArgument, "\(maker)")
      }
    }
    guard 1...255 ~= count else { return }
    try await withTLS(
      server: { try Certificates.shared.server(protocols: [name]) },
      client: { try Certificates.shared.client(protocols: ["a", name]) }
    ) { _, server, client in
      #expect(server.negotiatedProtocol == name && client.negotiatedProtocol == name)
    }
  }

  @Test(arguments: [TLSOptions.Version.tls12, .tls13])
  func `An identity that is too weak ends the handshake, and both ends hear why`(version: TLSOptions.Version)
    async throws
  {
    let weak = try certificates.identity("weak")
    var options = TLSOptions()
    options.maximumVersion = version
    let server = try TLSContext.server(
      choosing: { loop, _ in
        Request(loop) { done in
          loop.queueMicrotask { done(.success(weak)) }
          return PendingRequest()
        }
      }, options: options)
    let client = try certificates.client()
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let connecting = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(far, client, host: "localhost").value
      }
      do throws(UVError) {
        _ = try await loop.tls.secure(near, server).value
        Issue.record("the server has taken it")
      } catch { #expect(error.code == .tls && error.message.contains("key too small"), "\(error)") }
      do throws(UVError) {
        _ = try await connecting.value
        Issue.record("the client has taken it")
      } catch { #expect(error.message == "the peer has sent the alert illegal parameter", "\(error)") }
    }
    // A context with it alone can't be made.
    #expect(throws: UVError.self) { try TLSContext.server(weak) }
  }
}
