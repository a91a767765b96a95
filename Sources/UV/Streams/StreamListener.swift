import CUV

/// A socket that listens: a source of connections.
///
/// The listener accepts a connection only when somebody asks for one; the others wait in the system's queue.
/// The error of a single connection doesn't end the listener. If the process has no descriptor left, the
/// listener tries again after 5 ms, and then after twice the time each, up to a second.
///
/// Closing a listener ends a `for try await` loop over it without an error. The connections that came through
/// it stay open:
///
/// ```swift
/// let terminations = try loop.signals(.terminate)
/// loop.spawn {
///   _ = try? await terminations.next().value
///   listener.close()
/// }
/// for try await connection in listener { loop.spawn { … } }
/// // Here no more come. The run ends when the connections have.
/// ```
///
/// The corresponding libuv functions are `uv_listen` and `uv_accept`.
public class StreamListener<Connection: ByteStream>: SourceHandle<Connection> {
  private let makeConnection: (EventLoop) throws(UVError) -> Connection
  /// Whether libuv holds a connection that nobody has asked for yet. It listens again once the connection is
  /// accepted.
  private var isConnectionWaiting = false
  private var backoff: AcceptBackoff?

  init(
    loop: EventLoop, size: Int, _ operation: String, _ initialize: (UnsafeMutableRawPointer) -> Int32,
    connection makeConnection: @escaping (EventLoop) throws(UVError) -> Connection
  ) throws(UVError) {
    self.makeConnection = makeConnection
    try super.init(loop: loop, "accept", size: size, operation, initialize)
  }

  /// Begins to listen at the address that the handle is bound to.
  func listen(backlog: Int, _ subject: String) throws(UVError) {
    guard backlog >= 1, let backlog = Int32(exactly: backlog) else {
      throw UVError(.invalidArgument, operation: "listen", subject: "backlog \(backlog)")
    }
    isActiveWhileIdle()
    try check(uv_listen(cuv_stream(block.raw), backlog, didConnect), "listen", subject)
    block.own()
    take(role: .listener)
  }

  /// Accepts one connection. It does the same as ``EventSource/next()``, except that the listener's end is an
  /// error: `cancelled`.
  ///
  /// - Returns: A request for the connection.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func accept() -> Request<Connection> {
    Request(loop) { [self] in accept($0) }
  }

  /// Accepts one connection; see ``accept()``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  @discardableResult
  public func accept(_ done: @escaping Completion<Connection>) -> PendingRequest {
    next { result in
      done(
        result.flatMap { connection in
          connection.map { .success($0) } ?? .failure(UVError(.cancelled, operation: "accept"))
        })
    }
  }

  override var hasPending: Bool { isConnectionWaiting }

  /// Accepts connections for everyone who waits. A connection that nobody waits for stays with libuv, which
  /// then stops polling.
  override func deliverPending() {
    guard isConnectionWaiting, source.hasDemand, !isClosing else { return }
    // An error here concerns one connection, whose peer has gone meanwhile. The listener goes on.
    guard let connection = try? makeConnection(loop) else { return }
    isConnectionWaiting = false
    guard uv_accept(cuv_stream(block.raw), connection.stream) == 0 else { return }
    connection.block.own()
    connection.take(role: .accepted)
    source.deliver(connection)
  }

  /// When its loop shuts down gracefully, a listener's readers see its end, which is nil.
  override func stopListening() {
    source.finish()
    super.stopListening()
  }

  override func startUVClose() {
    backoff?.close()
    super.startUVClose()
  }

  override func connectionArrived(_ code: Int32) {
    loop.callback {
      if code < 0, backoff == nil { backoff = AcceptBackoff(self) }
      backoff?.note(code)
      if code == 0 {
        isConnectionWaiting = true
        deliverPending()
      }
    }
    source.pauseIfUnwanted()
  }
}

private func didConnect(_ handle: UnsafeMutablePointer<uv_stream_t>?, _ code: Int32) {
  // A callback can't name the generic class, so it calls the listener through the base class.
  idleOwner(of: handle!, as: Handle.self)?.connectionArrived(code)
}
