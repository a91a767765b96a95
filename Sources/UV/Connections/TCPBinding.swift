import CUV

/// Where and how a TCP socket listens.
package struct TCPBinding {
  let address: SocketAddress
  let backlog: Int
  let reusePort: Bool
  /// A socket that listens at the address already.
  private let passed: PassedSocket?

  private init(_ address: SocketAddress, _ backlog: Int, _ reusePort: Bool, _ passed: PassedSocket? = nil) {
    self.address = address
    self.backlog = backlog
    self.reusePort = reusePort
    self.passed = passed
  }

  /// Makes a listener: of a socket that another process has passed, or else of a new one.
  package static func listen<Listener>(
    on wanted: WantedAddress, backlog: Int, reusePort: Bool,
    _ make: (TCPBinding) throws(UVError) -> Listener
  ) throws(UVError) -> Listener {
    if let passed = PassedSockets.take(at: wanted) {
      return try make(TCPBinding(wanted.first, backlog, reusePort, passed))
    }
    return try wanted.bind { address throws(UVError) in try make(TCPBinding(address, backlog, reusePort)) }
  }

  private var isForLibuv: Bool {
    #if os(Linux)
    reusePort && uv_version() >= UInt32(CUV_TCP_REUSEPORT_SINCE)
    #else
    // There libuv refuses it, since the system doesn't spread the connections.
    false
    #endif
  }

  /// Before 1.49 the option is set here, after the socket is made and before it is bound.
  private var isForUs: Bool { reusePort && !isForLibuv }

  /// The kind of socket to make at once. If it is unspecified, binding makes the socket.
  var family: Int32 { passed != nil || !isForUs ? AF_UNSPEC : address.isIPv6 ? AF_INET6 : AF_INET }

  /// Binds a listener's socket, and begins to listen.
  func apply<Connection>(to listener: StreamListener<Connection>) throws(UVError) {
    let tcp = listener.block.raw.assumingMemoryBound(to: uv_tcp_t.self)
    let subject = address.description
    if let passed { return try listener.listen(on: passed, backlog: backlog) }
    if isForUs { try check(cuv_reuse_port(listener.fileDescriptor()), "setsockopt SO_REUSEPORT", subject) }
    let flags = isForLibuv ? UInt32(CUV_TCP_REUSEPORT) : 0
    try check(address.withSockaddr { uv_tcp_bind(tcp, $0, flags) }, "bind", subject)
    // libuv doesn't report an error of bind at once. Asking for the address brings it out.
    do throws(UVError) { _ = try listener.localTCPAddress() } catch {
      throw UVError(error.code, operation: "bind", subject: subject)
    }
    try listener.listen(backlog: backlog, subject, ListeningPlace(address))
  }
}
