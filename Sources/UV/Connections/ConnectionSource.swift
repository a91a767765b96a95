/// A source of connections that can be closed: what the server of a protocol is made of.
///
/// ``StreamListener`` and `TLSListener` are such sources. So `loop.http.serve(listener)` works over TCP, pipes
/// and TLS alike. A type of your own may be one, too.
///
/// libuv has no corresponding type.
public protocol ConnectionSource<Element>: EventSource where Element: ByteStream {
  /// The address at which the connections come.
  ///
  /// - Throws: `badDescriptor` if the source is closed, and `notSupported` if it has no address. The default
  ///   implementation throws the latter.
  func localAddress() throws(UVError) -> SocketAddress

  /// Ends the source. Its readers get nil. The connections that it has delivered stay open.
  ///
  /// - Returns: A request that succeeds when no more connections can come.
  @discardableResult
  func close() -> Request<Void>
}

extension ConnectionSource {
  /// Throws `notSupported`, for a source that has no address.
  public func localAddress() throws(UVError) -> SocketAddress {
    throw UVError(.notSupported, operation: "localAddress")
  }
}

extension StreamListener: ConnectionSource {}
