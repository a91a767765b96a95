/// The TCP connection beneath. If there is none, as for a pipe, these functions fail with `notSupported`.
extension TLSConnection {
  /// The address of this end; see `TCPConnection.localAddress()`.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try localTCPAddress() }

  /// The address of the other end; see `TCPConnection.peerAddress()`.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notConnected` if the peer has gone, and
  ///   `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress { try peerTCPAddress() }

  /// Turns Nagle's algorithm off, so that small writes leave at once, or turns it on again; see
  /// `TCPConnection.setNoDelay(_:)`.
  ///
  /// - Parameter isEnabled: True to send small writes at once, false to let the system gather them.
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_nodelay`.
  public func setNoDelay(_ isEnabled: Bool = true) throws(UVError) { try setTCPNoDelay(isEnabled) }

  /// Has the system probe an idle connection; see `TCPConnection.setKeepAlive(_:)`.
  ///
  /// - Parameter idle: How long the connection is idle before the first probe, in whole seconds, 1 or more.
  ///   Nil turns probing off.
  /// - Throws: `badDescriptor` if the connection is closed, `invalidArgument` for less than a second, and
  ///   `notSupported` if it isn't over TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_keepalive`.
  public func setKeepAlive(_ idle: Duration?) throws(UVError) { try setTCPKeepAlive(idle) }

  /// Limits how long written bytes may wait for the peer's acknowledgement; see
  /// `TCPConnection.setUserTimeout(_:)`.
  ///
  /// - Parameter limit: 1 ms to 24 days, in whole milliseconds. Nil is the system's own limit.
  /// - Throws: `badDescriptor` if the connection is closed, `invalidArgument` for another limit, and
  ///   `notSupported` if it isn't over TCP or the system has no such option.
  public func setUserTimeout(_ limit: Duration?) throws(UVError) { try setTCPUserTimeout(limit) }

  /// The system's figures about the way to the peer; see `TCPConnection.tcpInformation()`.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSupported` if it isn't over TCP or the
  ///   system doesn't tell.
  public func tcpInformation() throws(UVError) -> TCPInformation { try systemTCPInformation() }
}
