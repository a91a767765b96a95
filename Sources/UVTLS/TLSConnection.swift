import COpenSSL

/// A connection whose bytes are encrypted.
///
/// It is a `ByteStream` like any other: everything that reads, writes or ends a stream does so here.
///
/// - The stream's end is the peer's sign of the end (`close_notify`). A connection that is closed without it
///   ends with the error `tlsTruncated`, because somebody may have cut it.
/// - `ByteStream.shutdown()` sends this end's sign, and then ends the writing side of the connection.
/// - Writes of one turn of the loop leave together, in records of up to 16 KiB.
/// - `ByteStream.isAboveHighWaterMark` counts bytes before they are encrypted, and what the system hasn't
///   taken of them after that. What TLS itself has to send counts, too, such as its answers to a peer that
///   asks for new keys. If more than 64 KiB of that wait, because the peer doesn't read, the connection reads
///   no more until the peer has taken them.
///
/// The corresponding OpenSSL type is `SSL`.
public final class TLSConnection: ByteStream, TCPTransport {
  /// It is there as soon as the handshake begins, before anybody gets the connection.
  private(set) var session: TLSSession!

  /// Takes over a connection, and begins nothing yet.
  init(over plain: ByteStream, _ session: TLSSession) throws(UVError) {
    self.session = session
    try super.init(takingOver: .stream(plain))
    let (unread, filter) = plain.giveUp()
    setFilter(filter.map { TLSOverTLS(lower: $0, upper: session) } ?? session)
    unread.withUnsafeBytes { bytes in
      if bytes.isEmpty { return }
      session.receive(bytes)
      // The bytes' memory isn't ours.
      session.endReceiving()
    }
  }

  /// Goes on with a socket that a listener has accepted, and begins nothing yet; see ``begin(_:)``.
  init(_ socket: AcceptedSocket) throws(UVError) { try super.init(takingOver: .socket(socket)) }

  /// Gets its session, once the peer has spoken.
  func begin(_ session: TLSSession) {
    self.session = session
    setFilter(session)
  }

  /// OpenSSL's connection, for tests.
  package var raw: OpaquePointer { session.ssl }

  /// The version of the protocol.
  ///
  /// The corresponding OpenSSL function is `SSL_version`.
  public var protocolVersion: TLSOptions.Version {
    TLSOptions.Version(rawValue: SSL_version(session.ssl)) ?? .tls12
  }

  /// The name of the cipher, such as `"TLS_AES_256_GCM_SHA384"`.
  ///
  /// The corresponding OpenSSL function is `SSL_get_current_cipher`.
  public var cipherSuite: String {
    SSL_CIPHER_get_name(SSL_get_current_cipher(session.ssl)).map { String(cString: $0) } ?? ""
  }

  /// The application protocol that both ends have agreed on (ALPN); nil if they haven't agreed on one.
  ///
  /// The corresponding OpenSSL function is `SSL_get0_alpn_selected`.
  public var negotiatedProtocol: String? {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(session.ssl, &bytes, &count)
    // Sound: OpenSSL keeps these bytes for as long as the connection.
    return bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
  }

  /// The host that the client has named (SNI); nil if it has named none.
  ///
  /// The corresponding OpenSSL function is `SSL_get_servername`.
  public var serverName: String? { session.serverName }

  /// The certificates that the peer has presented in DER form, its own first. There are none if the peer has
  /// presented none, and only its own if the session was resumed.
  ///
  /// The corresponding OpenSSL functions are `SSL_get1_peer_certificate` and `SSL_get_peer_cert_chain`.
  public var peerCertificates: [Bytes] {
    guard let own = SSL_get1_peer_certificate(session.ssl) else { return [] }
    defer { X509_free(own) }
    let chain = SSL_get_peer_cert_chain(session.ssl)
    // A client's chain has the server's own certificate, a server's chain hasn't the client's.
    let others = (session.context.isServer ? 0 : 1)..<Swift.max(1, Int(ctls_chain_count(chain)))
    return ([own] + others.compactMap { ctls_chain_get(chain, Int32($0)) }).map(Self.der)
  }

  private static func der(_ certificate: OpaquePointer) -> Bytes {
    let count = Swift.max(0, Int(i2d_X509(certificate, nil)))
    return Bytes(unsafeUninitializedCapacity: count) { buffer in
      var end = buffer.baseAddress
      return Swift.max(0, Int(i2d_X509(certificate, &end)))
    }
  }

  /// Whether the handshake resumed an earlier session.
  ///
  /// The corresponding OpenSSL function is `SSL_session_reused`.
  public var isResumed: Bool { SSL_session_reused(session.ssl) == 1 }
}
