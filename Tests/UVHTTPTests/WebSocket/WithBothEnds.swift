#if Everything
import Testing
import UVHTTP
import UVTestSupport

/// Calls `body` with both ends of a WebSocket: the one that sends, and the one that receives. Closes the WebSocket from the sender's
/// end afterwards.
///
/// - Parameter isByServer: Whether the server's end sends.
func withBothEnds(
  isByServer: Bool, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, WebSocket, WebSocket) async throws -> Void
) async throws {
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let server = try loop.http.listen(host: "127.0.0.1", port: 0)
    let accepting = loop.spawn { () async throws in
      let exchange = try await server.next().value
      return try await exchange?.webSocket().value
    }
    let client = HTTPClient(loop)
    let near = try await client.webSocket("ws://127.0.0.1:\(try server.localAddress().port)/").value
    let far = try #require(try await accepting.value)
    let (sender, receiver) = isByServer ? (far, near) : (near, far)
    try await body(loop, sender, receiver)
    let closing = loop.spawn { () async throws in _ = try await receiver.next().value }
    try await sender.close().value
    try await closing.value
    try await receiver.close().value
    try await client.close().value
    server.close()
  }
}
#endif
