import CUV

extension UDPSocket {
  // MARK: Addresses

  /// Connects the socket: it then sends to this address only, and receives from this address only.
  ///
  /// - Parameter address: The peer's address.
  /// - Throws: `alreadyConnected`, `networkUnreachable`, `badDescriptor` (the socket is closed), …
  ///
  /// The corresponding libuv function is `uv_udp_connect`.
  public func connect(to address: SocketAddress) throws(UVError) {
    try set("udp_connect", address.description) { socket in
      reachable(address).withSockaddr { uv_udp_connect(socket, $0) }
    }
  }

  /// Undoes ``connect(to:)``.
  ///
  /// - Throws: `notConnected`, and `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_connect`.
  public func disconnect() throws(UVError) { try set("udp_connect") { uv_udp_connect($0, nil) } }

  /// The address that the socket is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress {
    try checkOpen("udp_getsockname")
    return try address("udp_getsockname") { uv_udp_getsockname(udp, $0, $1) }
  }

  /// The address that the socket is connected to.
  ///
  /// - Throws: `notConnected`, and `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress {
    try checkOpen("udp_getpeername")
    return try address("udp_getpeername") { uv_udp_getpeername(udp, $0, $1) }
  }

  /// Whether the socket receives several datagrams in one system call.
  ///
  /// The corresponding libuv function is `uv_udp_using_recvmmsg`.
  public var receivesInBatches: Bool { !isClosing && uv_udp_using_recvmmsg(udp) != 0 }

  // MARK: Reach

  /// Allows or forbids sending to a broadcast address; forbidden by default.
  ///
  /// - Parameter isEnabled: True to allow it.
  /// - Throws: `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_set_broadcast`.
  public func setBroadcast(_ isEnabled: Bool) throws(UVError) {
    try set("udp_set_broadcast") { uv_udp_set_broadcast($0, isEnabled ? 1 : 0) }
  }

  /// Sets how many routers a datagram may pass.
  ///
  /// - Parameter hops: 1…255.
  /// - Throws: `invalidArgument` if `hops` is out of range, and `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_set_ttl`.
  public func setTTL(_ hops: Int) throws(UVError) {
    let value = try Self.hops(hops, in: 1...255, "udp_set_ttl")
    try set("udp_set_ttl") { uv_udp_set_ttl($0, value) }
    try setForIPv4("udp_set_ttl") { cuv_set_ttl($0, value) }
  }

  // MARK: Multicast

  /// Joins a multicast group.
  ///
  /// - Parameters:
  ///   - group: The group's address, without a port.
  ///   - interface: The address of the interface to join on, such as `"127.0.0.1"` or `"::%eth0"`. Nil lets
  ///     the system choose.
  ///   - source: The only address to receive from; nil for all.
  /// - Throws: `invalidArgument` if an argument isn't such an address, `addressInUse` if the socket is in the
  ///   group already, `badDescriptor` (the socket is closed), …
  ///
  /// The corresponding libuv functions are `uv_udp_set_membership` and `uv_udp_set_source_membership`.
  public func join(group: String, interface: String? = nil, source: String? = nil) throws(UVError) {
    try setMembership(UV_JOIN_GROUP, group, interface, source)
  }

  /// Leaves a multicast group that was joined with the same arguments.
  ///
  /// - Throws: `addressNotAvailable` if the socket isn't in the group, and the other errors of
  ///   ``join(group:interface:source:)``.
  ///
  /// The corresponding libuv functions are `uv_udp_set_membership` and `uv_udp_set_source_membership`.
  public func leave(group: String, interface: String? = nil, source: String? = nil) throws(UVError) {
    try setMembership(UV_LEAVE_GROUP, group, interface, source)
  }

  private func setMembership(
    _ membership: uv_membership, _ group: String, _ interface: String?, _ from: String?
  ) throws(UVError) {
    guard ![group, interface ?? "", from ?? ""].contains(where: { $0.utf8.contains(0) }) else {
      throw UVError(.invalidArgument, operation: "udp_set_membership", subject: group)
    }
    try set("udp_set_membership", group) { socket in
      guard let from else { return uv_udp_set_membership(socket, group, interface, membership) }
      return uv_udp_set_source_membership(socket, group, interface, from, membership)
    }
  }

  /// Chooses whether this machine receives what the socket sends to a group. It does by default.
  ///
  /// - Parameter isEnabled: True if it receives that.
  /// - Throws: `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_set_multicast_loop`.
  public func setMulticastLoop(_ isEnabled: Bool) throws(UVError) {
    try set("udp_set_multicast_loop") { uv_udp_set_multicast_loop($0, isEnabled ? 1 : 0) }
    try setForIPv4("udp_set_multicast_loop") { cuv_set_multicast_loop($0, isEnabled) }
  }

  /// Sets how many routers a datagram to a group may pass; 1 by default.
  ///
  /// - Parameter hops: 0…255.
  /// - Throws: `invalidArgument` if `hops` is out of range, and `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_set_multicast_ttl`.
  public func setMulticastTTL(_ hops: Int) throws(UVError) {
    let value = try Self.hops(hops, in: 0...255, "udp_set_multicast_ttl")
    try set("udp_set_multicast_ttl") { uv_udp_set_multicast_ttl($0, value) }
    try setForIPv4("udp_set_multicast_ttl") { cuv_set_multicast_ttl($0, value) }
  }

  /// Chooses the interface through which datagrams to a group leave.
  ///
  /// - Parameter interface: The interface's address; nil lets the system choose.
  /// - Throws: `invalidArgument`, `addressNotAvailable`, and `badDescriptor` if the socket is closed.
  ///
  /// The corresponding libuv function is `uv_udp_set_multicast_interface`.
  public func setMulticastInterface(_ interface: String?) throws(UVError) {
    guard interface?.utf8.contains(0) != true else {
      throw UVError(.invalidArgument, operation: "udp_set_multicast_interface")
    }
    try set("udp_set_multicast_interface", interface) { uv_udp_set_multicast_interface($0, interface) }
  }

  private func set(
    _ operation: String, _ subject: String? = nil, _ call: (UnsafeMutablePointer<uv_udp_t>) -> Int32
  ) throws(UVError) {
    // For a closed socket libuv would make a new descriptor, which nobody would close.
    try checkOpen(operation)
    try check(call(udp), operation, subject)
  }

  /// A socket that serves both families has some options for each. libuv sets those of IPv6.
  private func setForIPv4(_ operation: String, _ call: (Int32) -> Int32) throws(UVError) {
    let descriptor = try fileDescriptor()
    if cuv_is_dual_stack(descriptor) { try check(call(descriptor), operation) }
  }

  private static func hops(_ hops: Int, in range: ClosedRange<Int>, _ operation: String) throws(UVError)
    -> Int32
  {
    guard range.contains(hops) else {
      throw UVError(.invalidArgument, operation: operation, subject: "\(hops) (\(range))")
    }
    return Int32(hops)
  }
}
