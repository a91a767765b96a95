/// The work that a graceful shutdown had to cut off; see ``EventLoop/shutdownGracefully(within:)``.
public struct ShutdownReport: Hashable, Sendable {
  /// How many connections had not ended at the time limit, and were reset.
  public var count: Int
  /// The addresses of the peers of those connections, as far as the system still knew them.
  public var peers: [SocketAddress]

  /// Creates a report; for test doubles.
  public init(count: Int = 0, peers: [SocketAddress] = []) {
    self.count = count
    self.peers = peers
  }

  /// Adds the report of another loop.
  public static func += (a: inout ShutdownReport, b: ShutdownReport) {
    a.count += b.count
    a.peers += b.peers
  }
}
