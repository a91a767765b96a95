import CUV

/// A TCP connection, accepted or established.
///
/// ```swift
/// let connection = try await loop.tcp.connect(host: "localhost", port: 7).value
/// try await connection.write("hello").value
/// try await connection.shutdown().value
/// for try await chunk in connection { print(chunk) }
/// ```
///
/// The corresponding libuv type is `uv_tcp_t`.
public final class TCPConnection: ByteStream, PassableHandle {
  var tcp: UnsafeMutablePointer<uv_tcp_t> { block.raw.assumingMemoryBound(to: uv_tcp_t.self) }

  init(loop: EventLoop) throws(UVError) {
    try super.init(loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init") { raw in
      uv_tcp_init(loop.raw, raw.assumingMemoryBound(to: uv_tcp_t.self))
    }
  }

  /// Turns Nagle's algorithm off, so that small writes leave at once, or turns it on again.
  ///
  /// It is off by default for connections that a listener of this library has accepted, and for those that this
  /// library has established. One that is taken over, or received through a pipe, keeps what it has. With the
  /// algorithm, the second of two small writes waits for the peer's acknowledgement of the first, which may be
  /// 40 ms late.
  ///
  /// - Parameter isEnabled: True, the default, sends small writes at once; false lets the system gather them.
  /// - Throws: `badDescriptor` if the connection is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_nodelay`.
  public func setNoDelay(_ isEnabled: Bool = true) throws(UVError) {
    try setTCPNoDelay(isEnabled)
  }

  /// Has the system probe an idle connection, so that it notices a peer that has vanished.
  ///
  /// - Parameter idle: How long the connection is idle before the first probe, in whole seconds, 1 or more.
  ///   Nil turns probing off.
  /// - Throws: `badDescriptor` if the connection is closed, and `invalidArgument` for less than a second.
  ///
  /// The corresponding libuv function is `uv_tcp_keepalive`.
  public func setKeepAlive(_ idle: Duration?) throws(UVError) {
    try setTCPKeepAlive(idle)
  }

  /// Limits how long written bytes may wait for the peer's acknowledgement. Then the system gives the
  /// connection up, and what is under way fails with `timedOut`. Unlike ``ByteStream/writeTimeout``, it also
  /// counts for what the system has taken already, and nobody needs to wait for it.
  ///
  /// - Parameter limit: 1 ms to 24 days, in whole milliseconds. Nil is the system's own limit, which is some
  ///   fifteen minutes on Linux.
  /// - Throws: `badDescriptor` if the connection is closed, `invalidArgument` for another limit, and
  ///   `notSupported` where the system has no such option.
  ///
  /// The option of Linux is `TCP_USER_TIMEOUT`.
  public func setUserTimeout(_ limit: Duration?) throws(UVError) { try setTCPUserTimeout(limit) }

  /// The system's figures about the way to the peer, such as the round-trip time.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` on other systems than Linux and
  ///   Apple's.
  ///
  /// The option of Linux is `TCP_INFO`.
  public func tcpInformation() throws(UVError) -> TCPInformation { try systemTCPInformation() }

  /// The address of this end.
  ///
  /// - Throws: `badDescriptor` if the connection is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try localTCPAddress() }

  /// The address of the other end.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notConnected` if the peer has gone.
  ///
  /// The corresponding libuv function is `uv_tcp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress { try peerTCPAddress() }

  /// Closes the connection by a reset. The bytes that are queued are thrown away, and the peer's next read
  /// fails with `connectionReset`. If ``ByteStream/shutdown()`` is under way, the connection is
  /// closed the usual way.
  ///
  /// - Returns: A request that succeeds when the connection is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_close_reset`.
  @discardableResult
  public func closeReset() -> Request<Void> {
    block.header.pointee.closesByReset = true
    return close()
  }

  /// Closes the connection by a reset; see ``closeReset()``.
  ///
  /// The corresponding libuv function is `uv_tcp_close_reset`.
  @discardableResult
  public func closeReset(_ done: @escaping Completion<Void>) -> PendingRequest {
    block.header.pointee.closesByReset = true
    return close(done)
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

  /// Creates a value; for test doubles.
  public init(
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

extension Handle {
  package func systemTCPInformation() throws(UVError) -> TCPInformation {
    _ = try tcp("tcp_info")
    var information = cuv_tcp_information()
    try check(cuv_tcp_information(fileDescriptor(), &information), "tcp_info")
    return TCPInformation(information)
  }
}
