/// The work that a graceful shutdown had to cut off; see ``EventLoop/shutdownGracefully(within:)``.
public struct ShutdownReport: Hashable, Sendable {
  /// How many connections had not ended at the time limit, or had waited for a listener that nobody asked, and
  /// were reset.
  public var count: Int
  /// The addresses of the peers of those connections, as far as the system still knew them.
  public var peers: [SocketAddress]

  /// Whether this is all. It is false if the task that waited for a group's end has been cancelled: the group
  /// goes on to end, and nobody has counted yet.
  public var isComplete: Bool

  /// Creates a report.
  package init(count: Int = 0, peers: [SocketAddress] = [], isComplete: Bool = true) {
    self.count = count
    self.peers = peers
    self.isComplete = isComplete
  }

  /// Adds the report of another loop.
  public static func += (a: inout ShutdownReport, b: ShutdownReport) {
    a.count += b.count
    a.peers += b.peers
    a.isComplete = a.isComplete && b.isComplete
  }
}
