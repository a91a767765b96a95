/// What a row of a workload with a server is asked to do.
///
/// The row listens on port 0 of `host`, or at `path`, with a backlog of 1024, tells `listening` the
/// port, serves `connections` connections (no-delay set on each, one read buffer of
/// 64 KiB for the whole loop), and returns when all of them have closed. It never
/// touches a stopwatch: the load generator knows when its requests are done.
public struct ServerTask: Sendable {
  /// The address to listen on: 127.0.0.1, unless the load comes from another machine.
  public var host: String
  /// How many connections to serve in all.
  public var connections: Int
  /// Bytes of a message or a write.
  public var size: Int
  /// What the payload of `tcp-stream` follows from, by `bench_fill`.
  public var seed: UInt64
  /// TLS: the file with the server's certificate and key; nil without it.
  public var identity: String?
  /// Where to listen in the Unix domain; nil without it.
  public var path: String?
  /// `overload`: how many jobs may be under way; 0 for any number.
  public var limit = 0
  /// What is observed of the loop or its connections meanwhile; C has none of it.
  public var watch = Watch.nothing
  /// To be called once, on any thread; with 0 for a path.
  public var listening: @Sendable (_ port: UInt16) -> Void
  /// To be called on the loop when the last connection has closed.
  public var closed: @Sendable () -> Void = {}
}

/// What a Swift row may have the loop or its connections observe, by its number in `--watch`.
public enum Watch: Int, Sendable {
  case nothing, lag, stalls, timeouts, metrics, snapshots
}

/// What a row served.
public struct ServerReport: Sendable {
  /// Bytes received on all connections.
  public var bytesRead: Int
  /// Bytes sent on all connections.
  public var bytesWritten: Int
  /// Jobs of Swift tasks that the loop had, from the first connection to the last.
  public var jobs: JobCount

  /// A report.
  public init(bytesRead: Int, bytesWritten: Int, jobs: JobCount = JobCount()) {
    self.bytesRead = bytesRead
    self.bytesWritten = bytesWritten
    self.jobs = jobs
  }
}

/// A row: one style of a workload with a server.
public typealias ServerRow = @Sendable (ServerTask) throws -> ServerReport
