import CUV

/// Name resolution, on the loop's thread pool unless the loop uses another resolver.
///
/// libuv gives lookups up to half of the pool's threads, which files need too. So two lookups at a name server that
/// doesn't answer hold up all others. `loop.dns.use(loop.resolver)`, of the product `UVDNS`, has the loop itself look
/// up; its page says which to take.
public struct DNS {
  package let loop: EventLoop
  /// The resolver that looks up in place of the thread pool; nil for the thread pool.
  let lookup: (any NameLookup)?

  /// Name resolution by a resolver; nil for the thread pool.
  package init(_ loop: EventLoop, by lookup: (any NameLookup)?) {
    self.loop = loop
    self.lookup = lookup
  }

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
    Request(of: loop) { resolve(host, port: port, $0) }
  }

  /// The addresses of a host; see ``resolve(_:port:)``.
  ///
  /// The corresponding libuv function is `uv_getaddrinfo`.
  @discardableResult
  public func resolve(
    _ host: String, port: Int = 0, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest {
    resolve(host, port: port, family: AF_UNSPEC, done)
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
    Request(of: loop) { nameInfo(of: address, options: options, $0) }
  }

  /// The names of a host and a service; see ``nameInfo(of:options:)``.
  ///
  /// The corresponding libuv function is `uv_getnameinfo`.
  @discardableResult
  public func nameInfo(
    of address: SocketAddress, options: NameInfoOptions = [], _ done: @escaping Completion<NameInfo>
  ) -> PendingRequest {
    if let lookup { return lookup.nameInfo(of: address, options, done) }
    return NameInfoRequest(loop, address, done).start(options)
  }

  /// Looks up addresses of one family: `AF_INET` or `AF_INET6`, or of both: `AF_UNSPEC`.
  func resolve(
    _ host: String, port: Int, family: Int32, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest {
    guard let number = UInt16(exactly: port), !host.utf8.contains(0), !host.isEmpty else {
      let subject =
        host.isEmpty ? "no host" : host.utf8.contains(0) ? host : "\(host) port \(port) (0...65535)"
      loop.answer { done(.failure(UVError(.invalidArgument, operation: "getaddrinfo", subject: subject))) }
      return PendingRequest()
    }
    if !loop.isClosed, let literal = try? SocketAddress(host, port: port) {
      loop.answer { done(.success([literal])) }
      return PendingRequest()
    }
    if let lookup { return lookup.addresses(of: host, port: number, family: family, done) }
    return LookupRequest(loop, host, number, family, done).start()
  }
}

extension EventLoop {
  /// Name resolution on this loop.
  public var dns: DNS { DNS(self, by: NameLookups.all[self].used) }
}
