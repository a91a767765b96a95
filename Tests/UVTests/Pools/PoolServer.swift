import Testing
import UV

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
    _ limit: Int = 2, retry: RetryPolicy = RetryPolicy(attempts: 1),
    _ change: (inout PoolLimits) -> Void = { _ in }
  ) -> Pool<TCPConnection> {
    var limits = PoolLimits()
    limits.resources = limit
    change(&limits)
    return Pool(listener.loop.tcp.connect(to: address), limits: limits, retry: retry)
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

/// Waits until a condition holds, a millisecond at a time.
nonisolated(nonsending) func until(_ loop: EventLoop, _ condition: () -> Bool) async throws {
  while !condition() { try await loop.sleep(for: .milliseconds(1)).value }
}
