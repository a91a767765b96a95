import COpenSSL
import Testing
import UVTLS
import UVTestSupport

/// Which server resumes a session that another one has made: for each pair of policies, with each kind of
/// session.
@Suite struct PolicyTests {
  private let certificates = Certificates.shared

  /// How a session is remembered.
  enum Kind: CaseIterable {
    /// In tickets, with keys that all servers share.
    case sharedKeys
    /// In tickets, with the key that OpenSSL makes for each context.
    case ownKeys
    /// In the server, which TLS 1.2 allows.
    case identifiers
  }

  struct Case: CustomTestStringConvertible {
    let version: TLSOptions.Version
    let kind: Kind

    static let all = [TLSOptions.Version.tls12, .tls13].flatMap { version in
      Kind.allCases.map { Case(version: version, kind: $0) }
    }.filter { $0.version == .tls12 || $0.kind != .identifiers }

    var testDescription: String { "\(version) \(kind)" }
  }

  /// A server's policy.
  struct Policy: Sendable {
    let name: String
    /// Policies of the same class let the same clients in, and resume each other's sessions.
    let sameAs: String
    /// What a client has to present to get in; nil for nothing.
    var admits: String?
    /// Whether no client of this test gets in.
    var admitsNobody = false
    let make: @Sendable (_ options: TLSOptions) throws -> TLSContext

    init(
      _ name: String, sameAs: String? = nil, admits: String? = nil, admitsNobody: Bool = false,
      _ make: @escaping @Sendable (_ options: TLSOptions) throws -> TLSContext
    ) {
      self.name = name
      self.sameAs = sameAs ?? name
      self.admits = admits
      self.admitsNobody = admitsNobody
      self.make = make
    }
  }

  private static func chosen(_ identity: TLSIdentity) -> TLSContext.IdentityChoice {
    { loop, _ in
      Request(loop) { done in loop.sleep(for: .zero) { _ in done(.success(identity)) } }
    }
  }

  private static func asking(
    _ clients: TLSClientCertificates
  ) -> @Sendable (TLSOptions) throws -> TLSContext {
    { try Certificates.shared.server(clientCertificates: clients, options: $0) }
  }

  private static func policies() throws -> [Policy] {
    let certificates = Certificates.shared
    let (root, other) = try (certificates.bytes("root.pem"), certificates.bytes("other.pem"))
    let (own, second) = try (certificates.identity(), certificates.identity("second"))
    return [
      Policy("none", asking(.none)),
      Policy("optional", asking(.optional(certificates.trust))),
      Policy("optional, the system's roots", asking(.optional(.system))),
      Policy("optional, everyone", asking(.optional(.everyoneWithoutVerification))),
      Policy("required", admits: "client", asking(.required(certificates.trust))),
      Policy(
        "required, from memory", sameAs: "required", admits: "client",
        asking(.required(.certificates(pem: root)))),
      Policy("required, another root", admits: "other", asking(.required(.certificates(pem: other)))),
      Policy(
        "required, two roots", admits: "client",
        asking(.required(.certificates(pem: Bytes(Array(root) + Array(other)))))),
      Policy(
        "required, two roots in another order", sameAs: "required, two roots", admits: "other",
        asking(.required(.certificates(pem: Bytes(Array(other) + Array(root) + Array(other)))))),
      Policy("required, everyone", admits: "other", asking(.required(.everyoneWithoutVerification))),
      Policy("required, the system's roots", admitsNobody: true, asking(.required(.system))),
      Policy("none, another identity") { try certificates.server("second", options: $0) },
      Policy("none, by name", sameAs: "none") {
        try .server(second, names: ["LOCALHOST": own], options: $0)
      },
      Policy("none, chosen", sameAs: "none") { options in
        try .server(choosing: chosen(own), options: options)
      },
      Policy("none, chosen otherwise", sameAs: "none, another identity") { options in
        try .server(choosing: chosen(second), options: options)
      },
      Policy("required, chosen", sameAs: "required", admits: "client") { options in
        try .server(
          choosing: chosen(own),
          clientCertificates: .required(certificates.trust), options: options)
      },
      Policy("none, other ciphers") {
        var options = $0
        options.cipherList = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256"
        return try certificates.server(options: options)
      },
      Policy("none, in small records", sameAs: "none") {
        var options = $0
        options.smallFirstRecords = true
        return try certificates.server(protocols: ["h2"], options: options)
      },
    ]
  }

  @Test("A session is resumed only where the same policy would have made it", arguments: Case.all)
  func matrix(given: Case) async throws {
    let policies = try Self.policies()
    var options = TLSOptions()
    if given.kind == .sharedKeys { options.ticketKeys = try TLSTicketKeys() }
    let servers = try policies.map { try $0.make(options) }
    let (pairs, resumptions) = try await withLoop { loop in
      var (pairs, resumptions) = (0, 0)
      for (i, maker) in policies.enumerated() where !maker.admitsNobody {
        // A server whose policy is optional gets a session without a certificate.
        let makersClient = client(given, maker.admits)
        let first = try await visit(loop, servers[i], makersClient)
        #expect(first.outcome == .full, "\(maker.name)")
        var session = try #require(first.session, "\(maker.name)")
        for (j, taker) in policies.enumerated() {
          let isSame = given.kind == .sharedKeys ? maker.sameAs == taker.sameAs : i == j
          for presented in [nil, taker.admits] as Set {
            pairs += 1
            let isAdmitted = !taker.admitsNobody && (taker.admits == nil || presented == taker.admits)
            let client = client(given, presented)
            let second = try await visit(loop, servers[j], client, offering: session)
            #expect(
              second.outcome == (isSame ? .resumed : isAdmitted ? .full : .refused),
              "made by \(maker.name), offered to \(taker.name) by a client with \(presented ?? "nothing")")
            if second.outcome == .resumed {
              resumptions += 1
              if let newer = second.session { session = newer }
            }
          }
        }
      }
      return (pairs, resumptions)
    }
    print("\(given.testDescription): \(pairs) pairs of policies and clients, \(resumptions) resumed")
    #expect(resumptions >= policies.count - 1)
  }

  private func client(_ given: Case, _ identity: String?) -> StubbornClient {
    StubbornClient(given.version, identity: identity, hasTickets: given.kind != .identifiers)
  }

  /// Contexts that choose their identity in each way, and how often a program is asked.
  private func choosers(_ options: TLSOptions, _ asked: Log<String?>) throws -> [TLSContext] {
    let certificates = Certificates.shared
    let wild = try certificates.identity("wild")
    return [
      try certificates.server("wild", options: options),
      try .server(certificates.identity(), names: ["*.wild.test": wild], options: options),
      try .server(
        choosing: { loop, name in
          asked.append(name)
          return Request(loop) { done in
            loop.sleep(for: .zero) { _ in
              done(
                name == "closed.wild.test"
                  ? .failure(UVError(.noSuchFile, operation: "choose")) : .success(wild))
            }
          }
        }, options: options),
    ]
  }

  @Test(
    "A session is resumed only under the name for which it was made; a program that chooses is asked each time",
    arguments: Case.all, [false, true])
  func names(given: Case, onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    if given.kind == .sharedKeys { options.ticketKeys = try TLSTicketKeys() }
    let asked = Log<String?>()
    let servers = try choosers(options, asked)
    try await withLoop { loop in
      for server in servers {
        for made in ["a.wild.test", nil] {
          let client = client(given, nil)
          let first = try await visit(loop, server, client, name: made)
          #expect(first.outcome == .full)
          var session = try #require(first.session)
          for offered in ["b.wild.test", "A.Wild.test", "a.wild.test", "c.a.wild.test", "localhost", nil] {
            let name = Log<String?>()
            let second = try await visit(loop, server, client, name: offered, offering: session) {
              name.append($0.serverName)
            }
            let isSame = offered?.lowercased() == made
            #expect(second.outcome == (isSame ? .resumed : .full), "\(offered ?? "-") after \(made ?? "-")")
            #expect(name.values.map { $0?.lowercased() } == [offered?.lowercased()])
            if second.outcome == .resumed, let newer = second.session { session = newer }
          }
        }
      }
      #expect(asked.values.count == 14)
      // The session of a name is worth nothing once the program has closed that name.
      let first = try await visit(loop, servers[2], client(given, nil), name: "closed.wild.test")
      #expect(first.outcome == .refused)
      let made = try await visit(loop, servers[2], client(given, nil), name: "a.wild.test")
      let second = try await visit(
        loop, servers[2], client(given, nil), name: "closed.wild.test", offering: made.session)
      #expect(second.outcome == .refused)
    }
  }

  @Test(
    "A session ends with the client's certificate", arguments: Case.all.filter { $0.kind != .identifiers })
  func dates(given: Case) async throws {
    var options = TLSOptions()
    if given.kind == .sharedKeys { options.ticketKeys = try TLSTicketKeys() }
    let server = try certificates.server(
      clientCertificates: .required(certificates.trust), options: options)
    try await withLoop { loop in
      let expired = client(given, "expired")
      let refused = try await visit(loop, server, expired)
      #expect(refused.outcome == .refused)
      // From here on a full handshake doesn't look at the date, as if it was made before.
      let valid = try await visit(loop, server, client(given, "client")) {
        let context = SSL_get_SSL_CTX($0.raw)
        X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_NO_CHECK_TIME))
      }
      let resumed = try await visit(loop, server, client(given, "client"), offering: valid.session)
      #expect(resumed.outcome == .resumed)
      let first = try await visit(loop, server, expired)
      #expect(first.outcome == .full)
      let second = try await visit(loop, server, expired, offering: first.session)
      #expect(second.outcome == .full)
    }
  }
}
