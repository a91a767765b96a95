import COpenSSL

/// Whose certificates one end of a connection accepts.
public struct TLSTrust: Sendable {
  enum Roots: Sendable {
    case system
    case file(any PathConvertible & Sendable)
    case pem(Bytes)
    case everyone
  }

  let roots: Roots

  /// The roots that the system trusts.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_default_verify_paths`.
  public static let system = TLSTrust(roots: .system)

  /// The certificates of a file in PEM form, and no others.
  ///
  /// - Parameter path: The file. It is read when a context is made.
  ///
  /// The corresponding OpenSSL function is `X509_STORE_add_cert`.
  public static func certificates(_ path: some PathConvertible & Sendable) -> TLSTrust {
    TLSTrust(roots: .file(path))
  }

  /// Certificates in PEM form, and no others.
  ///
  /// - Parameter bytes: One certificate or more.
  ///
  /// The corresponding OpenSSL function is `X509_STORE_add_cert`.
  public static func certificates(pem bytes: Bytes) -> TLSTrust { TLSTrust(roots: .pem(bytes)) }

  /// Nothing is verified: anybody who can reach the connection can read and change what it carries. Use it
  /// for tests only.
  ///
  /// The corresponding OpenSSL constant is `SSL_VERIFY_NONE`.
  public static let everyoneWithoutVerification = TLSTrust(roots: .everyone)

  var isVerifying: Bool { if case .everyone = roots { false } else { true } }

  /// Sets the roots of a context.
  ///
  /// - Parameter names: Whether the context sends its peers the roots' names, as a server does that asks for
  ///   certificates.
  /// - Returns: What distinguishes these roots from others.
  @discardableResult
  func apply(to context: OpaquePointer, namingRoots names: Bool) throws(UVError) -> [[UInt8]] {
    switch roots {
    case .everyone: return [Array("everyone".utf8)]
    case .system:
      ERR_clear_error()
      guard SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw OpenSSLError.take("read", "the system's certificates")
      }
      // A file that isn't there is no error for the system's roots.
      ERR_clear_error()
      return [Array("system".utf8)]
    case .file(let path): return try add(PEM(path: path), to: context, names)
    case .pem(let bytes): return try add(PEM(bytes, "the trusted certificates"), to: context, names)
    }
  }

  private func add(_ pem: PEM, to context: OpaquePointer, _ names: Bool) throws(UVError) -> [[UInt8]] {
    let certificates = try pem.readCertificates()
    defer { for certificate in certificates { X509_free(certificate) } }
    if certificates.isEmpty {
      throw UVError(
        .tls, operation: PEM.operation, subject: pem.subject, message: "there is no certificate in it")
    }
    for certificate in certificates {
      guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1,
        !names || SSL_CTX_add_client_CA(context, certificate) == 1
      else { throw OpenSSLError.take(PEM.operation, pem.subject) }
    }
    // Neither their order nor how often each is there makes a difference.
    return Set(certificates.map(SessionPolicy.digest)).sorted { $0.lexicographicallyPrecedes($1) }
  }
}

/// Whether a server asks its clients for certificates.
public struct TLSClientCertificates: Sendable {
  let trust: TLSTrust?
  let isRequired: Bool

  /// The server doesn't ask.
  public static let none = TLSClientCertificates(trust: nil, isRequired: false)

  /// The server asks. A client may present none; what it presents must be trusted.
  ///
  /// - Parameter trust: Whose certificates are accepted.
  ///
  /// The corresponding OpenSSL constant is `SSL_VERIFY_PEER`.
  public static func optional(_ trust: TLSTrust) -> TLSClientCertificates {
    TLSClientCertificates(trust: trust, isRequired: false)
  }

  /// The server asks, and refuses clients without a certificate that is trusted.
  ///
  /// - Parameter trust: Whose certificates are accepted.
  ///
  /// The corresponding OpenSSL constant is `SSL_VERIFY_FAIL_IF_NO_PEER_CERT`.
  public static func required(_ trust: TLSTrust) -> TLSClientCertificates {
    TLSClientCertificates(trust: trust, isRequired: true)
  }

  /// - Returns: What distinguishes this from others.
  func apply(to context: OpaquePointer) throws(UVError) -> [[UInt8]] {
    guard let trust else { return [Array("none".utf8)] }
    let roots = try trust.apply(to: context, namingRoots: true)
    let mode = SSL_VERIFY_PEER | (isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
    SSL_CTX_set_verify(context, mode, trust.isVerifying ? nil : acceptEveryCertificate)
    return [Array((isRequired ? "required" : "optional").utf8)] + roots
  }
}

/// For a server that asks for certificates and verifies none.
private func acceptEveryCertificate(_: Int32, _: OpaquePointer?) -> Int32 { 1 }
