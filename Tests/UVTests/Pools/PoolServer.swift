import Testing
import UV
import UVTestSupport

/// A server for a pool's connections, in the loop of the test. It sends back what comes, and `close\n` makes it
/// close the connection.
final class PoolServer {
  let listener: TCPListener
  let address: SocketAddress
  private(set) var connections: [TCPConnection] = []
  /// How many connections it has closed before it serves one.
  var refusals = 0

  init(_ loop: EventLoop) throws {
    listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    address = try listener.localAddress()
    listener.start { [self] result in
      guard case .success(let connection?) = result else { return }
      connections.append(connection)
      connection.start { result in
        guard case .success(let bytes?) = result, "\(bytes)" != "close\n" else {
          connection.close()
          return
        }
        connection.write(bytes) { _ in }
      }
    }
  }

  /// A pool of connections to this server.
  func pool(
    _ limit: Int = 2, _ change: (inout PoolLimits) -> Void = { _ in }
  ) -> Pool<TCPConnection> {
    var limits = PoolLimits()
    limits.resources = limit
    change(&limits)
    return Pool(listener.loop.tcp.connect(to: address), limits: limits, retry: RetryPolicy(attempts: 1))
  }

  func close() {
    listener.close()
    for connection in connections { connection.close() }
  }

  deinit { close() }
}

/// Asks a connection of the pool for an echo.
nonisolated(nonsending) func echo(_ text: Bytes, _ connection: TCPConnection) async throws(UVError) -> Bytes?
{
  try await connection.write([text, "\n"]).value
  return try await connection.readLine(limit: 100).value
}

/// Runs a test with a pool of connections to a server on the test's loop, and closes both when it has ended.
func withPool(
  _ limit: Int = 2, _ change: @escaping @Sendable (inout PoolLimits) -> Void = { _ in },
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, PoolServer, Pool<TCPConnection>) async throws
    -> Void
) async throws {
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let server = try PoolServer(loop)
    let pool = server.pool(limit, change)
    try await body(loop, server, pool)
    try await pool.close().value
    server.close()
  }
}
