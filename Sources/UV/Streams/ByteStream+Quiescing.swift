import CUV

/// The end of the service that a connection belongs to.
extension ByteStream {
  /// Whether the server that has accepted this connection is ending: its loop shuts down gracefully.
  ///
  /// A protocol that keeps connections open checks this property before each answer. If it is true, the
  /// answer says that it is the last one, and the connection is closed after it. The property is always false
  /// for a connection that the program has made itself.
  public var isQuiescing: Bool { block.header.pointee.role == .accepted && loop.isShuttingDown }

  /// Waits until the server that has accepted this connection begins to end.
  ///
  /// ```swift
  /// connection.quiescing { result in
  ///   // An idle peer gets a moment for a request that is on its way.
  ///   if case .success = result { connection.readTimeout = .milliseconds(250) }
  /// }
  /// ```
  ///
  /// So the connections that are idle end, and ``EventLoop/shutdownGracefully(within:)`` waits for work and
  /// not for its limit. The request keeps the connection alive, but doesn't keep the loop running. Close the
  /// connection at its end; dropping it isn't enough. If the connection is secured by TLS meanwhile, the
  /// request goes on with the secured one.
  ///
  /// - Returns: A request that ends when a graceful shutdown of the loop begins, or at once if it has begun.
  ///   It fails with `cancelled` when the connection is closed, and with `badDescriptor` if it is closed
  ///   already. A connection that the program has made itself is never notified.
  public func quiescing() -> Request<Void> { Request(of: loop) { [self] in quiescing($0) } }

  /// Waits until the server that has accepted this connection begins to end; see ``quiescing()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  @discardableResult
  public func quiescing(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isClosing {
      let error = closedError("quiescing")
      loop.answer { done(.failure(error)) }
      return PendingRequest()
    }
    if isQuiescing {
      loop.answer { done(.success(())) }
      return PendingRequest()
    }
    let sidecar = makeSidecar()
    let waiters = sidecar.quiescing ?? QuiescingWaiters(self)
    sidecar.quiescing = waiters
    return waiters.add(done)
  }
}

/// The waiters for the end of a connection's service. The connection keeps itself alive meanwhile.
final class QuiescingWaiters: Cancelling {
  // Sound: the stream owns this while somebody waits.
  private unowned(unsafe) var stream: ByteStream
  private let loop: EventLoop
  private var waiters = Waiters<Void>()

  init(_ stream: ByteStream) {
    self.stream = stream
    loop = stream.loop
    stream.keepAlive(.quiescing)
  }

  /// Waits on with the stream that takes over the connection.
  func move(from plain: ByteStream, to successor: ByteStream) {
    stream = successor
    successor.keepAlive(.quiescing)
    plain.letGo(.quiescing)
  }

  func add(_ done: @escaping Completion<Void>) -> PendingRequest {
    PendingRequest(self, generation: waiters.add(done))
  }

  /// Notifies all waiters, not on the caller's stack. Called once, when the stream has given this up.
  func report(_ result: Result<Void, UVError>) {
    for done in waiters.takeAll() { loop.queueMicrotask { done(result) } }
    stream.letGo(.quiescing)
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    waiters.contains(generation) ? Awaited(operation: "quiescing", object: stream) : nil
  }

  func cancel(slot: UInt, generation: UInt) {
    guard let done = waiters.take(generation) else { return }
    loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "quiescing"))) }
    guard waiters.isEmpty, let sidecar = stream.sidecar, sidecar.quiescing === self else { return }
    sidecar.quiescing = nil
    stream.letGo(.quiescing)
  }
}

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
  /// reader gets the end, as if the peer had ended the connection: when the peer has done so, after one
  /// second, or after 1 MiB. A reader that has a part of a frame fails with `endOfFile`, as always. Close the
  /// connection then.
  ///
  /// A peer that takes what was written before isn't silent, unless it takes nothing for a second. A program
  /// that doesn't read isn't interrupted; ``EventLoop/shutdownGracefully(within:)`` cuts its
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
    // The reader gets the error of a failure here: the peer has gone, and that ends the reading too.
    if !farewell.bytes.isEmpty { write(farewell.bytes) { _ in } }
    shutdown { _ in }
    return loop.sleepQuietly(for: Self.patience) { [weak self] result in
      if case .success = result { self?.endAfterFarewell() }
    }
  }

  /// Gives the reader the end. The peer has had its time.
  func endAfterFarewell() {
    if isClosing { return }
    uv_read_stop(stream)
    endReading(nil as UVError?)
  }
}
