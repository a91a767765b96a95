import CUV

/// How a connection ends with its server.
struct Farewell {
  /// The last bytes for the peer.
  let bytes: Bytes
  /// How long the peer must have been silent.
  let silence: Duration
}

extension ByteStream {
  /// Has this connection end when its server does: the loop that has accepted it shuts down gracefully.
  ///
  /// ```swift
  /// for try await connection in listener {
  ///   loop.spawn {
  ///     defer { connection.close() }
  ///     connection.endWithServer(after: .milliseconds(250), farewell: "* goodbye\n")
  ///     while let line = try await connection.readLine(limit: 1024).value { … }   // nil at the end
  ///   }
  /// }
  /// ```
  ///
  /// Once the server ends, and the program waits for bytes that haven't come for `silence`, the peer gets the
  /// farewell, and this side of the connection ends. So a request that is being worked on is answered, and one
  /// that is on its way still is if it comes in time. Bytes that the peer sends after the farewell are dropped. The
  /// reader is told the end, as if the peer had ended the connection: when the peer has done so, after one
  /// second, or after 1 MiB. A reader that has a part of a frame fails with `endOfFile`, as always. Close the
  /// connection then.
  ///
  /// A program that doesn't read isn't interrupted; ``EventLoop/shutdownGracefully(within:)`` cuts its
  /// connection off in the end. Nothing happens to a connection that the program has made itself. If the
  /// connection is secured by TLS meanwhile, this applies to the secured one. Calling it again replaces what
  /// was said before, as long as the farewell hasn't been written.
  ///
  /// A protocol in which an answer can say that it is the last one, such as HTTP/1.1, also asks
  /// ``isQuiescing`` when it answers.
  ///
  /// - Parameters:
  ///   - silence: How long the peer must have been silent. Zero or less ends a connection whose reader waits.
  ///   - farewell: The last bytes for the peer; none, unless you say otherwise.
  ///
  /// The corresponding libuv functions are `uv_write` and `uv_shutdown`.
  public final func endWithServer(after silence: Duration = .zero, farewell: Bytes = Bytes()) {
    loop.requireOnLoop("endWithServer")
    if isClosing, carriedOn == nil { return }
    (carriedOn ?? makeSidecar()).set(Farewell(bytes: farewell, silence: silence))
  }

  private static var patience: Duration { .seconds(1) }
  private static var mostDropped: Int { 1 << 20 }

  /// Writes the farewell, and lets the peer read it. If the connection closed with bytes of the peer's in it,
  /// the system would throw the farewell away.
  ///
  /// - Returns: What cancels the wait for the peer.
  func say(_ farewell: Farewell) -> PendingRequest {
    reads.dropWhatComes(upTo: Self.mostDropped)
    // The reader is told of what fails here: the peer has gone, and that ends the reading too.
    if !farewell.bytes.isEmpty { write(farewell.bytes) { _ in } }
    shutdown { _ in }
    return loop.sleepQuietly(for: Self.patience) { [weak self] result in
      if case .success = result { self?.endAfterFarewell() }
    }
  }

  /// Tells the reader the end. The peer has had its time.
  func endAfterFarewell() {
    if isClosing { return }
    uv_read_stop(stream)
    endReading(nil as UVError?)
  }
}
