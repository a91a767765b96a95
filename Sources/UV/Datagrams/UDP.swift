import CUV

/// UDP on a loop.
public struct UDP {
  let loop: EventLoop

  /// Options for making a UDP socket.
  ///
  /// The corresponding libuv type is `uv_udp_flags`.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits of the set, as libuv defines them.
    public let rawValue: UInt32
    /// Creates a set from libuv's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// An IPv6 socket with this option doesn't receive over IPv4.
    public static let ipv6Only = Options(rawValue: UV_UDP_IPV6ONLY.rawValue)
    /// Other sockets that also set this option may be bound to the same address, as for multicast.
    public static let reuseAddress = Options(rawValue: UV_UDP_REUSEADDR.rawValue)
    /// Receives up to 20 datagrams in one system call, if the system can do that.
    public static let receiveInBatches = Options(rawValue: UV_UDP_RECVMMSG.rawValue)
  }

  /// Binds a socket to an address.
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal such as `"127.0.0.1"`, for this machine only. Nil is all
  ///     addresses, of IPv6 and IPv4; see <doc:WritingAServer#Choose-the-addresses>. For multicast over IPv4,
  ///     bind `"0.0.0.0"`: such a socket can join its groups on each system.
  ///   - port: 0…65535. With 0 the system chooses a port; ``UDPSocket/localAddress()`` returns it.
  ///   - options: Whether the address may be shared, and how datagrams are received.
  /// - Throws: `addressInUse`, `permissionDenied` (a port below 1024), `addressNotAvailable`,
  ///   `invalidArgument`.
  ///
  /// The corresponding libuv functions are `uv_udp_init_ex` and `uv_udp_bind`.
  public func bind(host: String? = nil, port: Int, options: Options = []) throws(UVError) -> UDPSocket {
    let wanted = try WantedAddress(host: host, port: port)
    return try wanted.bind { address throws(UVError) in try bind(to: address, options: options) }
  }

  /// Binds a socket to an address; see ``bind(host:port:options:)``.
  ///
  /// The corresponding libuv functions are `uv_udp_init_ex` and `uv_udp_bind`.
  public func bind(to address: SocketAddress, options: Options = []) throws(UVError) -> UDPSocket {
    let flags = options.subtracting(.receiveInBatches).rawValue
    // libuv leaves it to the system whether such a socket serves IPv4, and systems differ.
    let isDualStack = address.family == .v6(0, 0, scope: 0) && !options.contains(.ipv6Only)
    let socket = try UDPSocket(
      loop: loop, family: isDualStack ? AF_INET6 : AF_UNSPEC, options: options, isIPv6: address.isIPv6)
    if isDualStack {
      try check(cuv_serve_both_families(socket.fileDescriptor()), "bind", address.description)
    }
    try check(address.withSockaddr { uv_udp_bind(socket.udp, $0, flags) }, "bind", address.description)
    socket.block.own()
    return socket
  }

  /// Makes a socket that is connected: it sends to one address only, and receives from that address only.
  ///
  /// - Parameters:
  ///   - address: The peer's address.
  ///   - options: How datagrams are received.
  /// - Throws: `networkUnreachable`, …
  ///
  /// The corresponding libuv functions are `uv_udp_init_ex` and `uv_udp_connect`.
  public func connect(to address: SocketAddress, options: Options = []) throws(UVError) -> UDPSocket {
    let any = try SocketAddress(address.isIPv6 ? "::" : "0.0.0.0", port: 0)
    let socket = try bind(to: any, options: options)
    try socket.connect(to: address)
    return socket
  }

  /// Takes over a descriptor of a UDP socket, or of a connected datagram socket of the Unix domain. The
  /// descriptor is made non-blocking, and is closed with the socket. If this function throws, the descriptor
  /// still belongs to the caller.
  ///
  /// - Parameters:
  ///   - fileDescriptor: The descriptor to take over.
  ///   - options: How datagrams are received.
  /// - Throws: `badDescriptor` if the descriptor isn't open, `invalidArgument` if it is something else, and
  ///   `fileExists` if a handle of the loop has it already.
  ///
  /// The corresponding libuv function is `uv_udp_open`.
  public func open(fileDescriptor: Int32, options: Options = []) throws(UVError) -> UDPSocket {
    if !cuv_is_datagram_socket(fileDescriptor) { try HandleType.udp.check(fileDescriptor, "udp_open") }
    try loop.checkUnowned(fileDescriptor, "udp_open")
    let socket = try UDPSocket(loop: loop, options: options)
    try check(uv_udp_open(socket.udp, fileDescriptor), "udp_open", "descriptor \(fileDescriptor)")
    socket.block.own()
    return socket
  }
}

extension EventLoop {
  /// UDP on this loop.
  public var udp: UDP { UDP(loop: self) }
}

extension PipeConnection {
  /// Accepts a UDP socket that was passed.
  ///
  /// - Throws: The errors of ``acceptTCPConnection()``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func acceptUDPSocket() throws(UVError) -> UDPSocket {
    try accept(.udp) { () throws(UVError) in try UDPSocket(loop: loop) }
  }
}
