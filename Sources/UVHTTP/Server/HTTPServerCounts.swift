#if HTTP || Everything
/// What an ``HTTPServer`` has now, and what has happened since it was made; see ``HTTPServer/counts``.
public struct HTTPServerCounts: Hashable, Sendable {
  /// Connections that are served now. Those that are refused don't count, nor do those that have become another
  /// protocol's, such as WebSockets.
  public var connections = 0

  /// Connections that were accepted to be served.
  public var accepted = 0
  /// Connections that were accepted to be refused, because there were too many; see
  /// ``HTTPLimits/refusedConnections``.
  public var refused = 0

  /// Creates counts.
  package init() {}
}
#endif
