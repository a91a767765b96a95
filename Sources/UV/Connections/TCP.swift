import CUV

/// TCP on a loop: listening and connecting.
public struct TCP {
  let loop: EventLoop

  /// Listens for connections.
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal: `"0.0.0.0"` for all IPv4 addresses, `"::"` for all
  ///     addresses, or `"127.0.0.1"` for this machine only.
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
    host: String = "0.0.0.0", port: Int, backlog: Int = 511, reusePort: Bool = false
  ) throws(UVError) -> TCPListener {
    try listen(on: SocketAddress(host, port: port), backlog: backlog, reusePort: reusePort)
  }

  /// Listens for connections on an address; see ``listen(host:port:backlog:reusePort:)``.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func listen(
    on address: SocketAddress, backlog: Int = 511, reusePort: Bool = false
  ) throws(UVError) -> TCPListener {
    try TCPListener(loop: loop, TCPBinding(address, backlog: backlog, reusePort: reusePort))
  }

  /// Takes over a connected socket, such as one that was accepted elsewhere. The socket is closed with the
  /// connection. If this function throws, the descriptor still belongs to the caller.
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
    Request(loop) { connect(to: address, $0) }
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

  /// Connects to a host by its name or address. The name's addresses are tried in the resolver's order until
  /// one answers.
  ///
  /// - Parameters:
  ///   - host: A name such as `"localhost"`, or an address, which isn't looked up.
  ///   - port: 1…65535.
  /// - Returns: A request for the connection. It fails with `unknownHost`, or with the error of the last
  ///   address.
  ///
  /// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
  public func connect(host: String, port: Int) -> Request<TCPConnection> {
    Request(loop) { connect(host: host, port: port, $0) }
  }

  /// Connects to a host by its name or address; see ``connect(host:port:)``.
  ///
  /// The corresponding libuv functions are `uv_getaddrinfo` and `uv_tcp_connect`.
  @discardableResult
  public func connect(
    host: String, port: Int, _ done: @escaping Completion<TCPConnection>
  ) -> PendingRequest {
    HostConnection(loop, done).start(host, port)
  }
}

extension EventLoop {
  /// TCP on this loop.
  public var tcp: TCP { TCP(loop: self) }
}

/// Looks up a name and tries its addresses one after the other.
private final class HostConnection: Cancelling {
  private let loop: EventLoop
  /// Nil once the caller has been told: the caller may keep the pending request, which keeps this object.
  private var done: Completion<TCPConnection>?
  private var stage = PendingRequest()
  /// Whether it was cancelled. This is needed between two stages, when there is nothing else to cancel.
  private var isCancelled = false

  init(_ loop: EventLoop, _ done: @escaping Completion<TCPConnection>) {
    self.loop = loop
    self.done = done
  }

  func start(_ host: String, _ port: Int) -> PendingRequest {
    stage = loop.dns.resolve(host, port: port) { [self] result in
      switch result {
      case .failure(let error): answer(.failure(error))
      case .success(let addresses): attempt(addresses[...])
      }
    }
    return PendingRequest(self)
  }

  func cancel(slot: UInt, generation: UInt) {
    isCancelled = true
    stage.cancel()
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? { done == nil ? nil : stage.awaited }

  private func attempt(_ addresses: ArraySlice<SocketAddress>) {
    if isCancelled { return answer(.failure(UVError(.cancelled, operation: "connect"))) }
    stage = loop.tcp.connect(to: addresses.first!) { [self] result in
      if case .failure(let error) = result, !error.isCancelled, addresses.count > 1 {
        attempt(addresses.dropFirst())
      } else {
        answer(result)
      }
    }
  }

  private func answer(_ result: Result<TCPConnection, UVError>) { done.take()?(result) }
}
