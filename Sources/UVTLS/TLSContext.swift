import COpenSSL

// Sound: OpenSSL's context is set up before the initializer returns, and only read afterwards. The cache has
// a lock.
/// The settings that connections share: certificates, trust and protocols of one end.
///
/// ```swift
/// let context = try TLSContext.server(identity, protocols: ["h2", "http/1.1"])
/// let listener = try loop.tls.listen(port: 443, context)
/// ```
///
/// Make a context once. It never changes, and serves any number of connections on any number of loops.
///
/// The corresponding OpenSSL type is `SSL_CTX`.
public final class TLSContext: @unchecked Sendable {
  /// Chooses the identity for a name; see ``server(choosing:protocols:clientCertificates:options:)``.
  public typealias IdentityChoice =
    @Sendable (_ loop: EventLoop, _ serverName: String?) -> Request<TLSIdentity>

  let raw: OpaquePointer
  let isServer: Bool
  let isVerifying: Bool
  let options: TLSOptions
  let identities: [String: TLSIdentity]
  let choice: IdentityChoice?
  let sessions = SessionCache()
  /// The identity of a server for clients that name no other; nil if it chooses one for each.
  private(set) var identity: TLSIdentity?
  /// A server's policy; nil for a client's context.
  private(set) var policy: SessionPolicy?
  private var protocols: UnsafeMutablePointer<ctls_protocols>?

  // MARK: Making one

  /// A context for servers.
  ///
  /// - Parameters:
  ///   - identity: Who the server is, for clients that name no other.
  ///   - names: The identities for particular names. A name such as `"*.example.org"` stands for one label in
  ///     place of the star. Letters may be upper or lower case.
  ///   - protocols: The application protocols that the server speaks (ALPN), the preferred one first, each of
  ///     1 to 255 bytes. A client that offers protocols and has none in common is refused.
  ///   - clientCertificates: Whether clients are asked for certificates.
  ///   - options: The rest.
  /// - Throws: `tls` with OpenSSL's reason, and `invalidArgument` for a protocol of a wrong length, or for a
  ///   name that can't be one.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_new`.
  public static func server(
    _ identity: TLSIdentity, names: [String: TLSIdentity] = [:], protocols: [String] = [],
    clientCertificates: TLSClientCertificates = .none, options: TLSOptions = TLSOptions()
  ) throws(UVError) -> TLSContext {
    let context = try TLSContext(isServer: true, options, names: names)
    try context.use(identity)
    context.identity = identity
    try context.setProtocols(protocols)
    try context.admit(clientCertificates)
    return context
  }

  /// A context for servers that load their identities when a client asks for them.
  ///
  /// - Parameters:
  ///   - choice: Called on the connection's loop with the name that the client asks for, or nil: once in each
  ///     handshake, also in one that may resume a session. If the request fails, the handshake fails.
  ///   - protocols: See ``server(_:names:protocols:clientCertificates:options:)``.
  ///   - clientCertificates: Whether clients are asked for certificates.
  ///   - options: The rest.
  /// - Throws: See ``server(_:names:protocols:clientCertificates:options:)``.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_client_hello_cb`.
  public static func server(
    choosing choice: @escaping IdentityChoice, protocols: [String] = [],
    clientCertificates: TLSClientCertificates = .none, options: TLSOptions = TLSOptions()
  ) throws(UVError) -> TLSContext {
    let context = try TLSContext(isServer: true, options, choice: choice)
    try context.setProtocols(protocols)
    try context.admit(clientCertificates)
    return context
  }

  /// A context for clients.
  ///
  /// A client verifies the server by default: the chain of its certificate up to a root that is trusted, the
  /// host's name or address, and the dates.
  ///
  /// - Parameters:
  ///   - trust: Whose certificates are accepted.
  ///   - identity: Who the client is, for servers that ask; nil to present nothing.
  ///   - protocols: The application protocols that the client offers (ALPN), the preferred one first.
  ///   - options: The rest.
  /// - Throws: `noSuchFile`, `tls` with OpenSSL's reason, and `invalidArgument` for a protocol of a wrong
  ///   length.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_new`.
  public static func client(
    trust: TLSTrust = .system, identity: TLSIdentity? = nil, protocols: [String] = [],
    options: TLSOptions = TLSOptions()
  ) throws(UVError) -> TLSContext {
    let context = try TLSContext(isServer: false, options, isVerifying: trust.isVerifying)
    try trust.apply(to: context.raw, namingRoots: false)
    SSL_CTX_set_verify(context.raw, trust.isVerifying ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
    if let identity { try context.use(identity) }
    try context.setProtocols(protocols)
    return context
  }

  /// The context of clients that choose none. Reading the system's roots takes some milliseconds, so that is
  /// done once.
  static let client: Result<TLSContext, UVError> = {
    do throws(UVError) { return .success(try TLSContext.client()) } catch { return .failure(error) }
  }()

  private init(
    isServer: Bool, _ options: TLSOptions, isVerifying: Bool = false, names: [String: TLSIdentity] = [:],
    choice: IdentityChoice? = nil
  ) throws(UVError) {
    var identities: [String: TLSIdentity] = [:]
    for (name, identity) in names {
      identities[try TLSHost(pattern: name, "tls_context").text] = identity
    }
    OpenSSLStart.ensure()
    ERR_clear_error()
    guard let raw = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
      throw OpenSSLError.take("tls_context")
    }
    self.raw = raw
    self.isServer = isServer
    self.isVerifying = isVerifying
    self.options = options
    self.choice = choice
    self.identities = identities
    // From here on `deinit` frees it.
    try setUp()
  }

  deinit {
    SSL_CTX_free(raw)
    free(protocols)
  }

  // MARK: Setting it up

  private func setUp() throws(UVError) {
    ctls_set_usual_options(raw)
    SSL_CTX_set_security_level(raw, 2)
    // Sound: a session keeps its context, and OpenSSL's context is used by sessions alone.
    ctls_set_context_owner(raw, Unmanaged.passUnretained(self).toOpaque())
    if options.keyLog != nil { SSL_CTX_set_keylog_callback(raw, logKey) }
    if isServer {
      // In it the context of each connection's session is set.
      SSL_CTX_set_client_hello_cb(raw, greet, nil)
      if options.ticketKeys != nil {
        try check(SSL_CTX_set_tlsext_ticket_key_evp_cb(raw, useTicketKey), "ticket keys")
      }
    } else {
      ctls_cache_client_sessions(raw, keepSession)
    }
    try check(
      ctls_set_versions(raw, options.minimumVersion.rawValue, options.maximumVersion.rawValue) ? 1 : 0,
      "versions")
    if let ciphers = options.cipherList { try check(SSL_CTX_set_cipher_list(raw, ciphers), ciphers) }
    if let suites = options.cipherSuites { try check(SSL_CTX_set_ciphersuites(raw, suites), suites) }
  }

  /// Decides who may enter. Called last, when everything that the policy depends on is set.
  private func admit(_ clients: TLSClientCertificates) throws(UVError) {
    let policy = SessionPolicy(raw, clients: try clients.apply(to: raw), ciphers: options.cipherList)
    self.policy = policy
    if clients.trust?.isVerifying == true { policy.checkDates(in: raw) }
    let id = policy.id(identity, name: nil)
    try check(SSL_CTX_set_session_id_context(raw, id, UInt32(id.count)), "session_id_context")
  }

  private func use(_ identity: TLSIdentity) throws(UVError) {
    try check(
      SSL_CTX_use_cert_and_key(raw, identity.certificate, identity.key, identity.chain, 1), "the identity")
  }

  private func setProtocols(_ names: [String]) throws(UVError) {
    if names.isEmpty { return }
    var list: [UInt8] = []
    for name in names {
      guard 1...255 ~= name.utf8.count else {
        throw UVError(.invalidArgument, operation: "tls_context", subject: "protocol \"\(name)\"")
      }
      list.append(UInt8(name.utf8.count))
      list += name.utf8
    }
    if !isServer {
      // This function, unlike the others, returns 0 for success.
      return try check(SSL_CTX_set_alpn_protos(raw, list, UInt32(list.count)) == 0 ? 1 : 0, "protocols")
    }
    guard let protocols = ctls_protocols_new(list, UInt32(list.count)) else {
      throw UVError(.outOfMemory, operation: "tls_context")
    }
    self.protocols = protocols
    ctls_set_server_protocols(raw, protocols)
  }

  private func check(_ result: Int32, _ subject: String) throws(UVError) {
    if result != 1 { throw OpenSSLError.take("tls_context", subject) }
    ERR_clear_error()
  }

  // MARK: What connections ask for

  /// The identity for a name; nil if the context has none of its own for it.
  func identity(for name: String?) -> TLSIdentity? {
    if identities.isEmpty { return nil }
    guard let name = name?.lowercased() else { return nil }
    if let identity = identities[name] { return identity }
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return identities["*" + name[dot...]]
  }
}

private func logKey(_ connection: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
  guard let context = ctls_context_owner(connection!), let line else { return }
  // Sound: the session that is at work keeps its context.
  Unmanaged<TLSContext>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.options.keyLog?(String(cString: line))
  }
}

private func keepSession(_ connection: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  guard let owner = ctls_owner(connection!), let session else { return 0 }
  // Sound: the session that is at work owns the connection.
  return Unmanaged<TLSSession>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.keep(session) } ? 1 : 0
}
