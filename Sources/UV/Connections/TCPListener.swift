import CUV

/// A listening TCP socket: a source of connections.
///
/// The listener accepts a connection only when somebody asks for one; the others wait in the system's queue.
///
/// The corresponding libuv type is `uv_tcp_t`.
public final class TCPListener: StreamListener<TCPConnection>, PassableHandle {
  private var tcp: UnsafeMutablePointer<uv_tcp_t> { block.raw.assumingMemoryBound(to: uv_tcp_t.self) }

  /// Makes a handle that isn't bound yet.
  ///
  /// - Parameter family: The kind of socket to make at once. If it is unspecified, binding makes the socket.
  init(loop: EventLoop, family: Int32 = AF_UNSPEC) throws(UVError) {
    try super.init(
      loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init",
      { uv_tcp_init_ex(loop.raw, $0.assumingMemoryBound(to: uv_tcp_t.self), UInt32(family)) },
      connection: { loop, descriptor throws(UVError) in
        let connection = try TCPConnection(loop: loop)
        try check(uv_tcp_open(connection.tcp, descriptor), "accept")
        return connection
      })
  }

  convenience init(loop: EventLoop, _ binding: TCPBinding) throws(UVError) {
    try self.init(loop: loop, family: binding.family)
    try binding.apply(to: self)
  }

  /// The address that the listener is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public override func localAddress() throws(UVError) -> SocketAddress { try localTCPAddress() }

  /// Lets clients that have been here before send their first bytes with their first packet, which saves a
  /// round trip (TCP Fast Open, RFC 7413). Such bytes may come twice, so serve only protocols in which that
  /// does no harm. Linux needs the bit 2 of `net.ipv4.tcp_fastopen` as well.
  ///
  /// - Parameter count: How many such connections may wait to be accepted, 1 or more; 0 turns it off.
  /// - Throws: `badDescriptor` if the listener is closed, `invalidArgument` for a negative count, and
  ///   `notSupported` where the system has no such option.
  ///
  /// The system's option is `TCP_FASTOPEN`.
  public func setFastOpen(_ count: Int) throws(UVError) {
    guard let count = Int32(exactly: count), count >= 0 else {
      throw UVError(.invalidArgument, operation: "tcp_fastopen", subject: "\(count)")
    }
    try check(cuv_set_fast_open(fileDescriptor(), count), "tcp_fastopen")
  }

  /// Chooses whether libuv accepts several connections at the same time.
  ///
  /// This library takes connections from the socket itself, one each time that somebody asks. So the setting
  /// changes nothing for its own listeners.
  ///
  /// - Parameter isEnabled: True, the default, lets libuv accept several at a time. False lets it
  ///   accept one after the other.
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_simultaneous_accepts`.
  public func setSimultaneousAccepts(_ isEnabled: Bool) throws(UVError) {
    try checkOpen("tcp_simultaneous_accepts")
    try check(uv_tcp_simultaneous_accepts(tcp, isEnabled ? 1 : 0), "tcp_simultaneous_accepts")
  }
}

/// A listening TCP socket whose connections are of another kind than ``TCPConnection``.
package final class SocketListener<Connection: ByteStream>: StreamListener<Connection> {
  /// - Parameter connection: Makes a connection of each socket, with ``StreamOrigin/socket(_:)``. If it
  ///   throws, the socket is closed, and the listener goes on.
  package init(
    loop: EventLoop, _ binding: TCPBinding,
    connection: @escaping (AcceptedSocket) throws(UVError) -> Connection
  ) throws(UVError) {
    try super.init(
      loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init",
      { uv_tcp_init_ex(loop.raw, $0.assumingMemoryBound(to: uv_tcp_t.self), UInt32(binding.family)) },
      connection: { loop, descriptor throws(UVError) in
        try connection(AcceptedSocket(loop: loop, descriptor: descriptor))
      })
    try binding.apply(to: self)
  }
}

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
