/// Something that secures a client's connections, as TLS does. A module whose protocol may be secured, such as
/// `UVHTTP`, takes one, so that it needs no TLS itself: `HTTPClient(loop, security: loop.tls)`.
///
/// libuv has no corresponding type.
public protocol StreamSecurity {
  /// Secures a connection that is open, and verifies that the peer is `host`.
  ///
  /// - Parameters:
  ///   - stream: The connection. It is used up, as `loop.tls.secure` says.
  ///   - host: The name or the address of the peer.
  /// - Returns: A request for the secured connection.
  func secure(_ stream: ByteStream, host: String) -> Request<ByteStream>
}
