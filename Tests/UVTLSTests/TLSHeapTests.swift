import Testing
import UVTLS
import UVTestSupport

/// The heap after TLS's objects have gone: it has as much as before.
@Suite(.serialized) struct TLSHeapTests {
  enum Call {
    case identity, wrongKey, noKey, noCertificate, rubbish, wrongPassphrase
    case serverContext, clientContext, wrongCiphers, wrongProtocols, ticketKeys
    case handshake, refusedHandshake, chosenIdentity, cancelledHandshake
  }

  private func load(_ chain: String, _ key: String, _ passphrase: String? = nil) {
    let certificates = Certificates.shared
    _ = try? TLSIdentity(
      certificateChain: certificates.path(chain), privateKey: certificates.path(key), passphrase: passphrase)
  }

  private nonisolated(nonsending) func make(_ call: Call, _ loop: EventLoop, _ contexts: [TLSContext])
    async throws
  {
    let certificates = Certificates.shared
    switch call {
    // A chain of two, so that its list is made.
    case .identity: load("chain.pem", "server.key")
    case .wrongKey: load("chain.pem", "second.key")
    case .noKey: load("chain.pem", "server.pem")
    case .noCertificate: load("empty.pem", "server.key")
    case .rubbish: load("rubbish.pem", "server.key")
    case .wrongPassphrase: load("chain.pem", "encrypted.key", "wrong")
    case .serverContext:
      _ = try certificates.server(protocols: ["a", "b"], clientCertificates: .required(certificates.trust))
    case .clientContext: _ = try certificates.client("client", protocols: ["a"])
    case .wrongCiphers:
      var options = TLSOptions()
      options.cipherList = "NO-SUCH-CIPHER"
      _ = try? certificates.server(options: options)
    case .wrongProtocols: _ = try? certificates.server(protocols: ["a", ""])
    case .ticketKeys:
      let keys = try TLSTicketKeys()
      try keys.rotate()
    case .handshake, .chosenIdentity:
      let (near, far) = try await handshake(loop, contexts[call == .handshake ? 0 : 1], contexts[2]).get()
      try await near.write("x").value
      _ = try await far.next().value
      for end in [near, far] { try await end.close().value }
    case .refusedHandshake:
      guard case .failure = try await handshake(loop, contexts[0], contexts[2], host: "other.test") else {
        Issue.record("not refused")
        return
      }
    case .cancelledHandshake:
      let (near, far) = try loop.pipes.socketPair()
      let log = Log<UVError.Code?>()
      loop.tls.secure(far, contexts[2], host: "localhost") { log.append($0.error?.code) }.cancel()
      try await loop.until { log.values == [.cancelled] }
      try await near.close().value
    }
    try await loop.until { loop.statistics.handles == 0 }
  }

  @Test(arguments: [Call.identity, .wrongKey, .noKey, .noCertificate, .rubbish, .wrongPassphrase])
  func `What an identity has taken of the heap is given back, also if it is refused`(call: Call) async throws
  {
    try await expectGivenBack(call)
  }

  @Test(arguments: [Call.serverContext, .clientContext, .wrongCiphers, .wrongProtocols, .ticketKeys])
  func `So is what a context has taken`(call: Call) async throws { try await expectGivenBack(call) }

  @Test(arguments: [Call.handshake, .refusedHandshake, .chosenIdentity, .cancelledHandshake])
  func `So is what a connection has taken`(call: Call) async throws { try await expectGivenBack(call) }

  private func expectGivenBack(_ call: Call) async throws {
    let certificates = Certificates.shared
    let identity = try certificates.identity()
    // No tickets: a client would keep sessions.
    var options = TLSOptions()
    options.maximumVersion = .tls12
    let contexts = try [
      certificates.server(options: options),
      TLSContext.server(
        choosing: { loop, _ in
          Request(loop) { done in
            loop.queueMicrotask { done(.success(identity)) }
            return PendingRequest()
          }
        }, options: options),
      certificates.client(),
    ]
    try await withLoop { loop in
      // Once before, for what is made once in a process and in a context.
      for _ in 0..<3 { try await make(call, loop, contexts) }
      try await expectHeapGivenBack("\(call)", count: 3, leak: 3000) { try await make(call, loop, contexts) }
    }
  }
}
