public import Testing
public import UV

/// Two ends of a connection on one loop, closed after `body`.
public func withPair(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, TCPConnection, TCPConnection) async throws -> Void
) async throws {
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let client = try await loop.tcp.connect(to: listener.localAddress()).value
    let server = try await listener.accept().value
    listener.close()
    try await body(loop, client, server)
    client.close()
    server.close()
  }
}
