#if Service || Everything
public import Tracing
public import UV

extension ByteStream {
  /// Runs `body` in a span that says which peer this connection has. Use it for a connection or for one of
  /// its requests; no span begins by itself.
  ///
  /// ```swift
  /// while let line = try await connection.readLine(limit: 1024).value {
  ///   try await connection.withSpan("command") { span in
  ///     span.attributes["command.name"] = name(of: line)
  ///     try await connection.write(answer(line)).value
  ///   }
  /// }
  /// ```
  ///
  /// The span is that of the tracer with which the program has bootstrapped its `InstrumentationSystem`. It
  /// is the current one in `body` and in the tasks that `body` spawns.
  ///
  /// - Parameters:
  ///   - name: The name of the span.
  ///   - kind: The kind of the span; that of a server by default.
  ///   - body: What to do. The span ends with it, and an error is recorded.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw.
  ///
  /// The corresponding function of swift-distributed-tracing is `withSpan`.
  public nonisolated(nonsending) func withSpan<T>(
    _ name: String, ofKind kind: SpanKind = .server,
    _ body: nonisolated(nonsending) (any Span) async throws -> T
  ) async throws -> T {
    // Asked for now: the system forgets the address of a peer that has gone.
    let peer = proxyHeader?.source ?? (try? peerTCPAddress())
    return try await Tracing.withSpan(name, ofKind: kind) { span in
      if let peer {
        span.attributes["network.peer.address"] = peer.host
        span.attributes["network.peer.port"] = Int(peer.port)
        span.attributes["network.transport"] = "tcp"
      }
      return try await body(span)
    }
  }
}
#endif
