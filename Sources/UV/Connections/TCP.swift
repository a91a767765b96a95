import CUV

/// TCP on a loop: listening and connecting.
public struct TCP {
  let loop: EventLoop

  /// Listens for connections.
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal such as `"127.0.0.1"`, for this machine only. Nil is all
  ///     addresses, of IPv6 and IPv4; see <doc:WritingAServer#Choose-the-addresses>.
  ///   - port: 0…65535. With 0 the system chooses a port; ``TCPListener/localAddress()`` returns it.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - reusePort: Whether other listeners may share the port, if they set this too and belong to the same
  ///     user. The system spreads the connections over them. Use it for one listener on each of several
  ///     loops; see ``EventLoopGroup``.
  /// - Throws: `addressInUse`, `permissionDenied` (a port below 1024), `addressNotAvailable`,
  ///   `invalidArgument`.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func listen(
    host: String? = nil, port: Int, backlog: Int = 511, reusePort: Bool = false
  ) throws(UVError) -> TCPListener {
    try listen(on: WantedAddress(host: host, port: port), backlog: backlog, reusePort: reusePort)
  }

  /// Listens for connections on an address; see ``listen(host:port:backlog:reusePort:)``.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func listen(
    on address: SocketAddress, backlog: Int = 511, reusePort: Bool = false
  ) throws(UVError) -> TCPListener {
    try listen(on: .one(address), backlog: backlog, reusePort: reusePort)
  }

  func listen(on wanted: WantedAddress, backlog: Int, reusePort: Bool) throws(UVError) -> TCPListener {
    try TCPBinding.listen(on: wanted, backlog: backlog, reusePort: reusePort) { binding throws(UVError) in
      try TCPListener(loop: loop, binding)
    }
  }

  /// Takes over a connected socket, such as one that was accepted elsewhere. The socket is closed with the
  /// connection. If this function throws, the descriptor still belongs to the caller.
  ///
  /// The socket keeps its options. So small writes leave at once (``TCPTransport/setNoDelay(_:)``) only if it was
  /// set so.
  ///
  /// - Parameter fileDescriptor: The descriptor of a connected TCP socket.
  /// - Throws: `badDescriptor`, `notConnected`, `notSupported` for a socket that isn't TCP, and `fileExists`
  ///   if a handle of the loop has it already.
  ///
  /// The corresponding libuv function is `uv_tcp_open`.
  public func open(fileDescriptor: Int32) throws(UVError) -> TCPConnection {
    _ = try address("tcp_open") { cuv_getpeername(fileDescriptor, $0, $1) }
    if cuv_is_datagram_socket(fileDescriptor) { throw UVError(.notSupported, operation: "tcp_open") }
    try loop.checkUnowned(fileDescriptor, "tcp_open")
    let connection = try TCPConnection(loop: loop)
    do throws(UVError) { try check(uv_tcp_open(connection.tcp, fileDescriptor), "tcp_open") } catch {
      connection.close()
      throw error
    }
    connection.block.own()
    return connection
  }

  /// Connects to an address.
  ///
  /// - Parameter address: The address and port of a listener.
  /// - Returns: A request for the connection. It fails with `connectionRefused`, `timedOut`,
  ///   `hostUnreachable`, … Cancelling the request closes the socket.
  ///
  /// The corresponding libuv function is `uv_tcp_connect`.
  public func connect(to address: SocketAddress) -> Request<TCPConnection> {
    Request(of: loop) { connect(to: address, $0) }
  }

  /// Connects to an address; see ``connect(to:)``.
  ///
  /// The corresponding libuv function is `uv_tcp_connect`.
  @discardableResult
  public func connect(to address: SocketAddress, _ done: @escaping Completion<TCPConnection>)
    -> PendingRequest
  {
    ConnectRequest.start(
      loop, address.description, done,
      connection: { () throws(UVError) in try TCPConnection(loop: loop) }
    ) { request, connection, done in
      address.withSockaddr { uv_tcp_connect(request, connection.tcp, $0, done) }
    }
  }

  /// Connects to a host by its name or address.
  ///
  /// The name's IPv6 and IPv4 addresses are looked up side by side, and tried in turn, IPv6 first. The next
  /// address is tried when the one before has failed or has had its time; the first that answers wins, and the
  /// other sockets are closed. So an address that doesn't answer delays the connection by a quarter of a
  /// second, and not by minutes. This is version 2 of Happy Eyeballs (RFC 8305).
  ///
  /// - Parameters:
  ///   - host: A name such as `"localhost"`, or an address, which isn't looked up.
  ///   - port: 1…65535.
  ///   - delays: How long to wait for what may still come; the RFC's values, unless you say otherwise.
  /// - Returns: A request for the connection. It fails with `unknownHost` or `nameServerFailure` if there is
  ///   no address. If no address answers, it fails with the code of the last failure, and the error's
  ///   ``UVError/message`` has each address with its own. Cancelling the request closes the sockets.
  ///
  /// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
  public func connect(
    host: String, port: Int, delays: ConnectDelays = ConnectDelays()
  ) -> Request<TCPConnection> {
    Request(of: loop) { connect(host: host, port: port, delays: delays, $0) }
  }

  /// Connects to a host by its name or address; see ``connect(host:port:delays:)``.
  ///
  /// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
  @discardableResult
  public func connect(
    host: String, port: Int, delays: ConnectDelays = ConnectDelays(),
    _ done: @escaping Completion<TCPConnection>
  ) -> PendingRequest {
    HostConnection(loop, "\(host):\(port)", delays, done).start(host, port)
  }

  /// Connects to one of several addresses, such as those of a service's directory; the first that answers wins.
  /// They are tried as those of a name are; see ``connect(host:port:delays:)``.
  ///
  /// - Parameters:
  ///   - addresses: One address or more. Those of the same family are tried in this order.
  ///   - delays: How long an address has for itself.
  /// - Returns: A request that ends and fails as ``connect(host:port:delays:)`` does. It fails with
  ///   `invalidArgument` if there is no address.
  ///
  /// The corresponding libuv function is `uv_tcp_connect`.
  public func connect(
    toAnyOf addresses: [SocketAddress], delays: ConnectDelays = ConnectDelays()
  ) -> Request<TCPConnection> {
    Request(of: loop) { connect(toAnyOf: addresses, delays: delays, $0) }
  }

  /// Connects to one of several addresses; see ``connect(toAnyOf:delays:)``.
  ///
  /// The corresponding libuv function is `uv_tcp_connect`.
  @discardableResult
  public func connect(
    toAnyOf addresses: [SocketAddress], delays: ConnectDelays = ConnectDelays(),
    _ done: @escaping Completion<TCPConnection>
  ) -> PendingRequest {
    HostConnection(loop, "\(addresses.count) addresses", delays, done).start(addresses)
  }
}

/// How long ``TCP/connect(host:port:delays:)`` waits for what may still come before it tries something else.
///
/// The values are those of RFC 8305, version 2 of what is called Happy Eyeballs.
public struct ConnectDelays: Hashable, Sendable {
  /// How long IPv4 addresses that are known wait for the IPv6 addresses of the same name. Zero or less doesn't
  /// wait.
  public var resolution: Duration
  /// How long an address has for itself before the next one is tried beside it. The RFC says 250 ms, and at
  /// least 100 ms: shorter delays load the network with connections that nobody needs. Zero or less tries all
  /// at once.
  public var attempt: Duration

  /// Creates delays: those of the RFC, unless you say otherwise.
  public init(resolution: Duration = .milliseconds(50), attempt: Duration = .milliseconds(250)) {
    self.resolution = resolution
    self.attempt = attempt
  }
}
