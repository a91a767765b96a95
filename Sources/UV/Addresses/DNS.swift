/// Name resolution on a loop's thread pool.
public struct DNS {
  let loop: EventLoop

  /// The addresses of a host, in the order in which you should try them.
  ///
  /// - Parameters:
  ///   - host: A name, or an address literal, which is answered without the thread pool.
  ///   - port: 0…65535. It becomes the port of each address.
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

  /// The names of a host and a service, found by their address and port.
  ///
  /// - Parameters:
  ///   - address: The address and port to look up.
  ///   - options: Which of the two to return as numbers, and whether the host must have a name.
  /// - Returns: A request for the names. It fails with `unknownHost` if a name is required and there is none,
  ///   or with `nameServerFailure`.
  ///
  /// The corresponding libuv function is `uv_getnameinfo`.
  public func nameInfo(of address: SocketAddress, options: NameInfoOptions = []) -> Request<NameInfo> {
    Request(loop) { nameInfo(of: address, options: options, $0) }
  }

  /// The names of a host and a service; see ``nameInfo(of:options:)``.
  ///
  /// The corresponding libuv function is `uv_getnameinfo`.
  @discardableResult
  public func nameInfo(
    of address: SocketAddress, options: NameInfoOptions = [], _ done: @escaping Completion<NameInfo>
  ) -> PendingRequest {
    NameInfoRequest(loop, address, done).start(options)
  }
}

extension EventLoop {
  /// Name resolution on this loop.
  public var dns: DNS { DNS(loop: self) }
}
