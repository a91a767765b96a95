import CUV

/// The process at the other end of a Unix domain socket, and its user. The system says it, so the peer can't lie.
///
/// The corresponding option of Linux is `SO_PEERCRED`; Apple's systems and FreeBSD have `getpeereid`.
public struct PeerCredentials: Hashable, Sendable {
  /// The process that connected, or that began to listen; nil if the system doesn't say, as for a process that
  /// this one can't see from its container. It may have ended since, and its number may be another's.
  public var processID: Int32?
  /// The user for whom the process ran then.
  public var userID: UInt32
  /// The process's group then.
  public var groupID: UInt32

  /// Creates a value.
  package init(processID: Int32?, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }
}

extension PipeConnection {
  /// The peer: the process that connected or began to listen, its user and its group, as they
  /// were then.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notSocket` for a pipe that isn't a socket,
  ///   `notConnected`, and `notSupported` on other systems than Linux, Apple's and FreeBSD.
  public func peerCredentials() throws(UVError) -> PeerCredentials {
    var peer = cuv_peer_credentials()
    try check(cuv_peer_credentials(fileDescriptor(), &peer), "peer_credentials")
    return PeerCredentials(
      processID: peer.process > 0 ? peer.process : nil, userID: peer.user, groupID: peer.group)
  }
}
