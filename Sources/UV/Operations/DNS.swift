/// Name resolution on a loop's thread pool.
public struct DNS {
  let loop: EventLoop

  /// The addresses of a host, in the order in which they should be tried.
  ///
  /// - Parameters:
  ///   - host: A name, or an address literal, which is answered without the thread pool.
  ///   - port: 0…65535, put into each address.
  /// - Returns: A request for at least one address. It fails with `unknownHost`, `nameServerFailure`, or
  ///   `invalidArgument` for a port out of range or a name with a NUL in it.
  ///
  /// The corresponding libuv function is `uv_getaddrinfo`.
  public func resolve(_ host: String, port: Int = 0) -> Request<[SocketAddress]> {
    Request(loop) { resolve(host, port: port, $0) }
  }

  /// The addresses of a host; see ``resolve(_:port:)``.
  ///
  /// The corresponding libuv function is `uv_getaddrinfo`.
  @discardableResult
  public func resolve(
    _ host: String, port: Int = 0, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest {
    LookupRequest.start(loop, host, port, done)
  }
}

extension EventLoop {
  /// Name resolution on this loop.
  public var dns: DNS { DNS(loop: self) }
}
