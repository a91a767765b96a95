import COpenSSL

/// The wishes of a client's first message, and the server's answer: its identity, and the context in which
/// the client's session may be resumed.
final class Greeting {
  /// The host that the client names.
  let serverName: String?
  /// The identity that the program has chosen.
  var identity: TLSIdentity?
  /// Whether the program has none for this client.
  var isRefused = false
  private var isAnswered = false

  init(_ serverName: String?) { self.serverName = serverName }

  /// - Returns: A constant of OpenSSL's; `SSL_CLIENT_HELLO_RETRY` if the program has to choose first.
  func answer(_ name: String?, for session: TLSSession) -> Int32 {
    // The client has sent its message again, as a server of TLS 1.3 may ask. It must name the same host.
    if name != serverName || isRefused { return SSL_CLIENT_HELLO_ERROR }
    if isAnswered { return SSL_CLIENT_HELLO_SUCCESS }
    let context = session.context
    let own = identity ?? context.identity(for: serverName)
    if own == nil, context.choice != nil { return SSL_CLIENT_HELLO_RETRY }
    if let own {
      // The context's own may be of another kind of key, and would stay beside this one.
      SSL_certs_clear(session.ssl)
      let isSet = SSL_use_cert_and_key(session.ssl, own.certificate, own.key, own.chain, 1) == 1
      if !isSet { return SSL_CLIENT_HELLO_ERROR }
    }
    isAnswered = true
    // OpenSSL's context has the one of its own identity, for clients that name nobody.
    if own == nil, serverName == nil { return SSL_CLIENT_HELLO_SUCCESS }
    guard let id = context.policy?.id(own ?? context.identity, name: serverName) else {
      return SSL_CLIENT_HELLO_ERROR
    }
    let isSet = SSL_set_session_id_context(session.ssl, id, UInt32(id.count)) == 1
    return isSet ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR
  }
}

/// Called by OpenSSL with a client's first message.
func greet(
  _ connection: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _: UnsafeMutableRawPointer?
) -> Int32 {
  guard let connection, let owner = ctls_owner(connection) else { return SSL_CLIENT_HELLO_ERROR }
  alert?.pointee = SSL_AD_ILLEGAL_PARAMETER
  var count = 0
  // Sound: OpenSSL keeps the message's bytes until this returns.
  let name = ctls_hello_name(connection, &count).map {
    String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
  }
  // Sound: the session that is at work owns the connection.
  return Unmanaged<TLSSession>.fromOpaque(owner)._withUnsafeGuaranteedRef { session in
    if session.isRefused { alert?.pointee = SSL_AD_UNRECOGNIZED_NAME }
    return session.greet(name)
  }
}
