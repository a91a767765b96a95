import UV

/// TLS for other modules' clients.
extension TLS: StreamSecurity {
  /// Secures a client's connection, with the system's roots, and verifies the peer.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  public func secure(_ stream: ByteStream, host: String) -> Request<ByteStream> {
    do throws(UVError) {
      return client(try TLSContext.client.get()).secure(stream, host: host)
    } catch {
      return .failure(loop, error)
    }
  }

  /// TLS with a context of your own, for a client that takes a `StreamSecurity`.
  ///
  /// ```swift
  /// let context = try TLSContext.client(trust: .certificates("root.pem"))
  /// let client = HTTPClient(loop, security: loop.tls.client(context))
  /// ```
  ///
  /// - Parameter context: A client's context.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  public func client(_ context: TLSContext) -> any StreamSecurity {
    ClientSecurity(tls: self, context: context)
  }
}

private struct ClientSecurity: StreamSecurity {
  let tls: TLS
  let context: TLSContext

  func secure(_ stream: ByteStream, host: String) -> Request<ByteStream> {
    tls.secure(stream, context, host: host).map { $0 }
  }
}
