import Node
import UV

/// Serves each connection of a port of this machine by a task of its own.
///
/// - Returns: An object with the port and a function that ends the server.
func serve(
  _ loop: EventLoop, port: Int,
  _ body: nonisolated(nonsending) @escaping (TCPConnection) async throws -> Void
) throws -> NodeObject {
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: port)
  let address = try listener.localAddress()
  let server = loop.spawn {
    do throws(UVError) {
      for try await connection in listener {
        loop.spawn {
          // A peer that goes away ends its own session.
          do { try await body(connection) } catch {}
          connection.close()
        }
      }
    } catch {
      // A worker that is terminated cancels what it does.
      if !error.isCancelled { print("example: \(error)") }
    }
  }
  return NodeObject { object throws(NodeError) in
    try object.set("port", Int(address.port))
    // Connections that are open go on.
    try object.asyncFunction("close") {
      listener.close()
      await server.value
    }
    // As `unref()` of Node's servers: the server alone doesn't keep the program running.
    try object.function("unref") {
      listener.keepsLoopRunning = false
      server.keepsLoopRunning = false
    }
  }
}
