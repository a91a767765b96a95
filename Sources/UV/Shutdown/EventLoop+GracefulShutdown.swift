extension EventLoop {
  /// Ends the loop's service: its listeners close at once, the connections that came through them are given time to
  /// end by themselves, and those that have not ended by then are reset.
  ///
  /// ```swift
  /// let terminations = try loop.signals(.terminate)
  /// loop.spawn {
  ///   _ = try? await terminations.next().value
  ///   let report = try? await loop.shutdownGracefully(within: .seconds(10)).value
  /// }
  /// for try await connection in listener { … }   // ends
  /// ```
  ///
  /// For whoever accepts, a listener comes to its end, which is not an error. Connections that this program made are
  /// left alone. The loop goes on: its run ends when the rest of its work has, or with ``stop()``. What is said to
  /// each connection is for the program: it can look at ``isShuttingDown`` between two requests.
  ///
  /// Asked again meanwhile, it waits for the same end; the shortest time counts, so that a second signal can hurry
  /// the first. Cancelling the request stops waiting, and the shutdown goes on.
  ///
  /// - Parameter limit: How long the connections may take; zero or less resets them on the next turn.
  /// - Returns: A request for what was cut off.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  public func shutdownGracefully(within limit: Duration) -> Request<ShutdownReport> {
    Request(self) { [self] in shutdownGracefully(within: limit, $0) }
  }

  /// Ends the loop's service; see ``shutdownGracefully(within:)``.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  @discardableResult
  public func shutdownGracefully(
    within limit: Duration, _ done: @escaping Completion<ShutdownReport>
  ) -> PendingRequest {
    if isClosed {
      tell(UVError.Code.loopClosed.rawValue) {
        done(.failure(UVError(.loopClosed, operation: "shutdownGracefully")))
      }
      return PendingRequest()
    }
    stopListening()
    return gracefulShutdown!.wait(within: limit, done)
  }

  /// Closes the listeners, for good.
  func stopListening() {
    if gracefulShutdown == nil { gracefulShutdown = GracefulShutdown(self) }
    gracefulShutdown!.stopListening()
  }

  /// Whether the loop's service is ending; see ``shutdownGracefully(within:)``.
  public var isShuttingDown: Bool { gracefulShutdown != nil }
}
