/// What a graceful shutdown had to cut off; see ``EventLoop/shutdownGracefully(within:)``.
public struct ShutdownReport: Hashable, Sendable {
  /// Connections that had not ended when the time was up, and were reset.
  public var count: Int
  /// Their other ends, where the system still knew them.
  public var peers: [SocketAddress]

  /// A report; for test doubles.
  public init(count: Int = 0, peers: [SocketAddress] = []) {
    self.count = count
    self.peers = peers
  }

  /// Adds what was cut off on another loop.
  public static func += (a: inout ShutdownReport, b: ShutdownReport) {
    a.count += b.count
    a.peers += b.peers
  }
}
