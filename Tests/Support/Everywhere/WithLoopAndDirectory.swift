public import Testing
public import UV

/// Runs `body` on a loop, as `withLoop` does, with a directory of the test's own.
public func withLoopAndDirectory(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, String) async throws -> Void
) async throws {
  try await withTemporaryDirectory { directory in
    try await withLoop(sourceLocation: sourceLocation) { loop in try await body(loop, directory) }
  }
}
