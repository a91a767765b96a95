import COpenSSL

/// The settings that a server's session depends on: a session is resumed only where the same policy would
/// have made it.
///
/// Resuming skips the checks of a full handshake. Servers that share ticket keys can decrypt each other's
/// sessions, whatever they ask of their clients. So each session carries a digest, and OpenSSL makes a full
/// handshake where another is expected. The digest is that of
///
/// - whether clients are asked for certificates, whether they must have one, and which roots are trusted,
/// - how OpenSSL is set to verify them,
/// - the ciphers of TLS 1.2, which OpenSSL doesn't choose anew for a session,
/// - the server's own certificate, so that a client isn't led from one server to another unnoticed, and
/// - the host that the client has named, as the standard asks (RFC 6066, section 3).
///
/// The corresponding OpenSSL function is `SSL_set_session_id_context`.
struct SessionPolicy {
  static let digestSize = Int(SHA256_DIGEST_LENGTH)

  /// The digest for everything but the identity and the name.
  private let base: [UInt8]

  /// - Parameters:
  ///   - context: OpenSSL's context, which is set up.
  ///   - clients: What is asked of clients; see ``TLSClientCertificates/apply(to:)``.
  init(_ context: OpaquePointer, clients: [[UInt8]], ciphers: String?) {
    let parameters = SSL_CTX_get0_param(context)
    let numbers = [
      Int(SSL_CTX_get_verify_mode(context)), Int(SSL_CTX_get_verify_depth(context)),
      Int(X509_VERIFY_PARAM_get_flags(parameters)), Int(SSL_CTX_get_security_level(context)),
    ]
    base = Self.digest(
      of: ["swift-uv", numbers.description, ciphers ?? ""].map { Array($0.utf8) } + clients)
  }

  /// The context in which a connection's session may be resumed.
  ///
  /// - Parameters:
  ///   - identity: The server's.
  ///   - name: The host that the client has named.
  func id(_ identity: TLSIdentity?, name: String?) -> [UInt8] {
    // A name is never empty.
    Self.digest(of: [base, identity?.digest ?? [], Array((name?.lowercased() ?? "").utf8)])
  }

  /// Has sessions end with the certificates of their clients.
  func checkDates(in context: OpaquePointer) { SSL_CTX_set_session_ticket_cb(context, nil, checkDate, nil) }

  /// The digest of parts, each with its length before it.
  private static func digest(of parts: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      withUnsafeBytes(of: part.count.littleEndian) { bytes += $0 }
      bytes += part
    }
    return [UInt8](unsafeUninitializedCapacity: digestSize) { buffer, count in
      SHA256(bytes, bytes.count, buffer.baseAddress)
      count = digestSize
    }
  }

  /// The digest of a certificate.
  static func digest(of certificate: OpaquePointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var size: UInt32 = 0
      _ = X509_digest(certificate, EVP_sha256(), buffer.baseAddress, &size)
      count = Int(size)
    }
  }
}

/// Called by OpenSSL with the session of a ticket: a client whose certificate has expired since then is
/// verified anew. A client that comes often would have its ticket renewed for ever.
private func checkDate(
  _: OpaquePointer?, _ session: OpaquePointer?, _: UnsafePointer<UInt8>?, _: Int, _ status: SSL_TICKET_STATUS,
  _: UnsafeMutableRawPointer?
) -> SSL_TICKET_RETURN {
  guard let session, status == SSL_TICKET_SUCCESS || status == SSL_TICKET_SUCCESS_RENEW else {
    return SSL_TICKET_RETURN_IGNORE_RENEW
  }
  if let peer = SSL_SESSION_get0_peer(session), X509_cmp_current_time(X509_get0_notAfter(peer)) < 0 {
    return SSL_TICKET_RETURN_IGNORE_RENEW
  }
  return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW
}
