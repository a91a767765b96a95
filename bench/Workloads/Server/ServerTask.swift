/// What a row of a workload with a server is asked to do.
///
/// The row listens on port 0 of `host`, or at `path`, with a backlog of 1024, calls `listening` with the
/// port, serves `connections` connections (no-delay set on each, one read buffer of
/// 64 KiB for the whole loop), and returns when all of them have closed. It never
/// touches a stopwatch: the load generator knows when its requests are done.
struct ServerTask: Sendable {
  /// The address to listen on: 127.0.0.1, unless the load comes from another machine.
  var host: String
  var connections: Int
  var size: Int
  /// What the payload of `tcp-stream` follows from, by `bench_fill`.
  var seed: UInt64
  /// TLS: the file with the server's certificate and key; nil without it.
  var identity: String?
  /// Where to listen in the Unix domain; nil without it.
  var path: String?
  /// `overload`: how many jobs may be under way; 0 for any number.
  var limit = 0
  /// What is observed of the loop or its connections meanwhile; C has none of it.
  var watch = Watch.nothing
  /// To be called once, on any thread; with 0 for a path.
  var listening: @Sendable (_ port: UInt16) -> Void
  /// To be called on the loop when the last connection has closed.
  var closed: @Sendable () -> Void = {}
}

/// What a Swift row may have the loop or its connections observe, by its number in `--watch`.
enum Watch: Int, Sendable {
  case nothing, lag, stalls, timeouts, metrics, snapshots
}

/// What a row served.
struct ServerReport: Sendable {
  /// On all connections.
  var bytesRead, bytesWritten: Int
  /// Jobs of Swift tasks that the loop had, from the first connection to the last.
  var jobs = JobCount()
}

/// A row: one style of a workload with a server.
typealias ServerRow = @Sendable (ServerTask) throws -> ServerReport
