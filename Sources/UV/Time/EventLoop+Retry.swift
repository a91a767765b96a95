extension EventLoop {
  /// Runs `body` until it succeeds, as often as a policy allows. On the loop's thread only.
  ///
  /// ```swift
  /// let greeting = try await loop.retry(RetryPolicy(attempts: 5)) {
  ///   let connection = try await loop.tcp.connect(host: "example.com", port: 7).value
  ///   defer { connection.close() }
  ///   return try await connection.readLine(limit: 1024).value
  /// }
  /// ```
  ///
  /// For a single request, use ``Request/retry(_:)``, which works in every style.
  ///
  /// - Parameters:
  ///   - policy: How often, after which pauses, and after which errors.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: The error of the last attempt; `cancelled` if the task is cancelled during a pause.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public nonisolated(nonsending) func retry<T>(
    _ policy: RetryPolicy = RetryPolicy(), _ body: nonisolated(nonsending) () async throws -> T
  ) async throws -> T {
    var failures = 0
    while true {
      do { return try await body() } catch {
        failures += 1
        guard let pause = policy.pause(after: error, failures: failures) else { throw error }
        try await sleep(for: pause).value
      }
    }
  }
}
