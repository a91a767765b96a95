import CUV

/// A stream over TCP: a ``TCPConnection``, or one that encrypts its bytes, which may also be over a pipe.
public protocol TCPTransport: ByteStream {}

extension TCPTransport {
  /// Turns Nagle's algorithm off, so that small writes leave at once, or turns it on again.
  ///
  /// It is off by default for connections that a listener of this library has accepted, and for those that this
  /// library has established. One that is taken over, or received through a pipe, keeps what it has. With the
  /// algorithm, the second of two small writes waits for the peer's acknowledgement of the first, which may be
  /// 40 ms late.
  ///
  /// - Parameter isEnabled: True, the default, sends small writes at once; false lets the system gather them.
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_nodelay`.
  public func setNoDelay(_ isEnabled: Bool = true) throws(UVError) { try setTCPNoDelay(isEnabled) }

  /// Has the system probe an idle connection, so that it notices a peer that has vanished.
  ///
  /// - Parameter idle: How long the connection is idle before the first probe, in whole seconds, 1 or more.
  ///   Nil turns probing off.
  /// - Throws: `badDescriptor` if the connection is closed, `invalidArgument` for less than a second, and
  ///   `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_keepalive`.
  public func setKeepAlive(_ idle: Duration?) throws(UVError) {
    let tcp = try tcp("tcp_keepalive")
    guard let idle else { return try check(uv_tcp_keepalive(tcp, 0, 0), "tcp_keepalive") }
    guard idle >= .seconds(1), idle < .seconds(Int32.max) else {
      throw UVError(.invalidArgument, operation: "tcp_keepalive", subject: idle.description)
    }
    try check(uv_tcp_keepalive(tcp, 1, UInt32(idle.components.seconds)), "tcp_keepalive")
  }

  /// Limits how long written bytes may wait for the peer's acknowledgement. Then the system gives the
  /// connection up, and what is under way fails with `timedOut`. Unlike ``ByteStream/writeTimeout``, it also
  /// counts for what the system has taken already, and nobody needs to wait for it.
  ///
  /// - Parameter limit: 1 ms to 24 days, in whole milliseconds. Nil is the system's own limit, which is some
  ///   fifteen minutes on Linux.
  /// - Throws: `badDescriptor` if the connection is closed, `invalidArgument` for another limit, and
  ///   `notSupported` if it isn't over TCP or the system has no such option.
  ///
  /// The option of Linux is `TCP_USER_TIMEOUT`.
  public func setUserTimeout(_ limit: Duration?) throws(UVError) {
    _ = try tcp("tcp_user_timeout")
    if let limit, limit < .milliseconds(1) || limit > .milliseconds(Int64(Int32.max)) {
      throw UVError(.invalidArgument, operation: "tcp_user_timeout", subject: limit.description)
    }
    try check(
      cuv_set_user_timeout(fileDescriptor(), Int32(limit?.milliseconds ?? 0)), "tcp_user_timeout")
  }

  /// The system's figures about the way to the peer, such as the round-trip time.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP and on other
  ///   systems than Linux and Apple's.
  ///
  /// The option of Linux is `TCP_INFO`.
  public func tcpInformation() throws(UVError) -> TCPInformation {
    _ = try tcp("tcp_info")
    var information = cuv_tcp_information()
    try check(cuv_tcp_information(fileDescriptor(), &information), "tcp_info")
    return TCPInformation(information)
  }

  /// The address of this end.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try localTCPAddress() }

  /// The address of the other end.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notConnected` if the peer has gone, and
  ///   `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress { try peerTCPAddress() }
}

/// The calls of a TCP socket, also of one beneath a stream of another kind.
extension Handle {
  func tcp(_ operation: String) throws(UVError) -> UnsafeMutablePointer<uv_tcp_t> {
    try checkOpen(operation)
    if cuv_handle_type(block.handle) != UV_TCP { throw UVError(.notSupported, operation: operation) }
    return block.raw.assumingMemoryBound(to: uv_tcp_t.self)
  }

  package func setTCPNoDelay(_ isEnabled: Bool) throws(UVError) {
    try check(uv_tcp_nodelay(tcp("tcp_nodelay"), isEnabled ? 1 : 0), "tcp_nodelay")
  }

  /// Sets what each TCP stream has by default. A handle without a socket keeps it for that, and
  /// the system gives accepted sockets what their listener has.
  func setTCPDefaults() throws(UVError) {
    if cuv_handle_type(block.handle) == UV_TCP { try setTCPNoDelay(true) }
  }

  package func localTCPAddress() throws(UVError) -> SocketAddress {
    let tcp = try tcp("tcp_getsockname")
    return try address("tcp_getsockname") { uv_tcp_getsockname(tcp, $0, $1) }
  }

  package func peerTCPAddress() throws(UVError) -> SocketAddress {
    let tcp = try tcp("tcp_getpeername")
    return try address("tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }
  }
}

/// Reads an address through one of libuv's name functions.
func address(
  _ operation: String, _ get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
) throws(UVError) -> SocketAddress {
  var storage = sockaddr_storage()
  var length = Int32(MemoryLayout<sockaddr_storage>.size)
  return try withUnsafeMutablePointer(to: &storage) { pointer throws(UVError) in
    let pointer = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
    try check(get(pointer, &length), operation)
    guard let address = SocketAddress(pointer) else {
      throw UVError(.notSupported, operation: operation, subject: "address family")
    }
    return address
  }
}

/// The system's figures about the way to the peer of a TCP connection, at one moment.
///
/// The corresponding option of Linux is `TCP_INFO`, and that of Apple's systems is `TCP_CONNECTION_INFO`.
public struct TCPInformation: Hashable, Sendable {
  /// How long a packet takes to the peer and its acknowledgement back, smoothed over the last ones. Linux
  /// measures microseconds, Apple's systems milliseconds.
  public var roundTripTime: Duration
  /// By how much the round-trip time varies.
  public var roundTripVariation: Duration
  /// How many packets have been sent again since the connection began. Each was lost, or late.
  public var retransmissionCount: Int
  /// How many bytes the system sends at most before an acknowledgement must come. It grows while nothing is
  /// lost.
  public var congestionWindow: Int

  package init(
    roundTripTime: Duration, roundTripVariation: Duration, retransmissionCount: Int, congestionWindow: Int
  ) {
    self.roundTripTime = roundTripTime
    self.roundTripVariation = roundTripVariation
    self.retransmissionCount = retransmissionCount
    self.congestionWindow = congestionWindow
  }

  init(_ information: cuv_tcp_information) {
    self.init(
      roundTripTime: .microseconds(Int64(information.round_trip)),
      roundTripVariation: .microseconds(Int64(information.variation)),
      retransmissionCount: Int(information.retransmissions), congestionWindow: Int(information.window))
  }
}
