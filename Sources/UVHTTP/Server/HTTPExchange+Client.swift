#if HTTP || Everything
import UV

/// Whether anybody waits for the answer.
extension HTTPExchange {
  /// Waits until the client goes before its answer is complete, so that the program needn't go on with its work.
  ///
  /// ```swift
  /// exchange.clientGone { result in
  ///   if case .success = result { query.cancel() }
  /// }
  /// ```
  ///
  /// A client has gone if the connection ends, or if it has ended what it sends: whether it still reads then, nobody can
  /// know. Few clients end their half and wait; those still get the answer if you give one. In a task,
  /// ``whileClientIsThere(file:line:_:)`` is simpler.
  ///
  /// To notice it the connection is read beyond the request. So it isn't noticed while the program doesn't ask for a body
  /// that hasn't come completely, nor behind what the client has sent and the server doesn't take yet: the body of a request
  /// that has to wait, a request for another protocol, and more requests than ``HTTPLimits/pipelinedRequests``. A request
  /// that is watched can't be answered by ``upgrade(_:)`` any more. Until it is answered or dropped, a request counts among
  /// ``HTTPLimits/connections``, also if its client has gone: its work still takes what work takes.
  ///
  /// - Returns: A request that succeeds when the client has gone. It fails with `cancelled` once the answer is complete or
  ///   the exchange has been dropped. It keeps neither the exchange nor the loop.
  public func clientGone() -> Request<Void> { goneRequest }

  /// Waits until the client goes before its answer is complete; see ``clientGone()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cease to wait.
  @discardableResult
  public func clientGone(_ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("clientGone()")
    return whenGone(done)
  }

  /// Runs `body`, and cancels it if the client goes meanwhile; see ``clientGone()``.
  ///
  /// ```swift
  /// for try await exchange in server {
  ///   loop.spawn {
  ///     _ = try? await exchange.whileClientIsThere {
  ///       let text = try await database.query("SELECT …")
  ///       try await exchange.respond(HTTPResponse(status: .ok), text).value
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, which this waits for. A body that has a value in spite of its cancellation is
  /// in time, as with `withDeadline` of the loop.
  ///
  /// - Parameters:
  ///   - file: Where this is called, for `EventLoop.snapshot(limit:)`.
  ///   - line: The line there.
  ///   - body: What to do, such as to make the answer and to give it; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: `brokenPipe` if the body ended because the client has gone; otherwise what the body threw.
  public nonisolated(nonsending) func whileClientIsThere<T>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) async throws -> T {
    try await loop.cancelling(
      throwing: UVError(.brokenPipe, operation: "respond", message: "the client has gone"),
      at: file, line,
      when: { isOver in clientGone { if case .success = $0 { isOver() } } }, body)
  }
}
#endif
