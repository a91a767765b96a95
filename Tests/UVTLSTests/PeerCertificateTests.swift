import Testing
import UVTLS
import UVTestSupport

/// The certificates that each end presents, as the other end sees them.
@Suite struct PeerCertificateTests {
  private let certificates = Certificates.shared

  /// An identity whose chain has further certificates, in their order.
  private func identity(_ name: String, _ others: [String]) throws -> TLSIdentity {
    let chain = try ([name] + others).flatMap { Array(try certificates.bytes("\($0).pem")) }
    return try TLSIdentity(
      pemCertificateChain: Bytes(chain), pemPrivateKey: try certificates.bytes("\(name).key"))
  }

  private static let chains = [
    [], ["root"], ["root", "other"], ["other", "root"], ["second", "root", "other"],
  ]

  @Test(
    "Each end has the other's chain in order, the other's own certificate first, and that alone if it was resumed",
    arguments: [TLSOptions.Version.tls12, .tls13], [false, true])
  func chains(version: TLSOptions.Version, onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.maximumVersion = version
    options.handshakesOnThreadPool = onThreadPool
    for (index, others) in Self.chains.enumerated() {
      let clients = Self.chains[(index + 2) % Self.chains.count]
      let server = try TLSContext.server(
        identity("server", others), clientCertificates: .required(certificates.trust), options: options)
      let client = try TLSContext.client(
        trust: certificates.trust, identity: identity("client", clients), options: options)
      let servers = try (["server"] + others).map { try certificates.der("\($0).pem") }
      let expected = try (["client"] + clients).map { try certificates.der("\($0).pem") }
      try await withLoop { loop in
        for isSecond in [false, true] {
          let isResumed = try await resumes(loop, server, client) { near, far in
            #expect(near.peerCertificates == (isSecond ? [expected[0]] : expected), "\(clients)")
            // A client has what its session has, which is the chain as it was.
            #expect(far.peerCertificates.first == servers[0])
            if !isSecond { #expect(far.peerCertificates == servers, "\(others)") }
          }
          #expect(isResumed == isSecond)
        }
      }
    }
  }

  @Test("A client that presents none has none, whether the server asks or not", arguments: [false, true])
  func none(asks: Bool) async throws {
    let clients: TLSClientCertificates = asks ? .optional(certificates.trust) : .none
    let expected = try certificates.der("server.pem")
    try await withTLS(server: { try Certificates.shared.server(clientCertificates: clients) }) {
      _, server, client in
      #expect(server.peerCertificates.isEmpty)
      #expect(client.peerCertificates == [expected])
    }
    // One that isn't asked presents nothing, though it has one.
    if asks { return }
    try await withTLS(client: { try Certificates.shared.client("client") }) { _, server, _ in
      #expect(server.peerCertificates.isEmpty)
    }
  }
}
