extension EventLoop {
  /// Ends the loop's service. Its listeners close: those that somebody asks accept the connections that wait for them
  /// before. The connections that came through them get time to end by themselves; those that haven't ended by then are
  /// reset.
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
  /// A loop over a listener's connections ends without an error. Connections that this program made itself
  /// are left alone. The loop goes on: its run ends when the rest of its work has ended, or with ``stop()``.
  /// The program decides what to tell each peer. A connection can check ``ByteStream/isQuiescing`` between two requests,
  /// and wait for ``ByteStream/quiescing()``.
  ///
  /// If you ask again meanwhile, all requests wait for the same end and the shortest limit counts. So a
  /// second signal can hurry the shutdown. Cancelling the request ends the waiting only; the shutdown goes
  /// on.
  ///
  /// - Parameter limit: How long the connections may take. Zero or less resets them on the next turn.
  /// - Returns: A request for a report of what was cut off.
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
      answer {
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

  /// Called when a listener has closed that was told to stop.
  func didStopListening() { gracefulShutdown?.didStopListening() }

  /// Whether a graceful shutdown of the loop has begun; see ``shutdownGracefully(within:)``.
  public var isShuttingDown: Bool { gracefulShutdown != nil }
}
