import CUV

extension EventLoop {
  /// Runs `body` on a loop as ``run(_:)`` does, for the end of a program: a last error is printed, and the
  /// program exits with code 1.
  ///
  /// Use it where nobody is left to catch an error: in `main.swift`, or in the `main` of a type with `@main`.
  /// There `try EventLoop.run` would stop the program as a crash does.
  ///
  /// ```swift
  /// EventLoop.main { loop in
  ///   let listener = try loop.tcp.listen(port: 7)
  ///   for try await connection in listener { loop.spawn { try await connection.write("hello").value } }
  /// }
  /// ```
  ///
  /// If the body throws, its tasks have been cancelled and its handles closed by the time that the program
  /// exits. To choose another exit code, catch the error inside the body or around ``run(_:)``, and call
  /// `exit`.
  ///
  /// - Parameter body: What to do. It runs on this thread.
  ///
  /// The corresponding libuv function is `uv_run`.
  public static func main(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) {
    do { try run(body) } catch {
      printToStandardError("Error: \(error)")
      exit(1)
    }
  }
}
