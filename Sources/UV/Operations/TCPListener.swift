import CUV

/// A listening TCP socket: a source of connections.
///
/// A connection is accepted only when somebody asks for one; the others wait in the system's queue. So they do where
/// the process has no descriptor left, which ends nothing: accepting is tried again after 5 ms, then after twice as
/// long each time, up to a second.
public final class TCPListener: Handle, EventSource, SourceDriver {
  /// What the source delivers.
  public typealias Element = TCPConnection
  /// What ends it before its time.
  public typealias Failure = UVError

  let source: SourceCore<TCPConnection>
  /// libuv holds a connection that nobody has asked for yet, and listens again once it is accepted.
  private var hasPending = false
  private var backoff: AcceptBackoff?

  private var tcp: UnsafeMutablePointer<uv_tcp_t> { block.raw.assumingMemoryBound(to: uv_tcp_t.self) }

  init(loop: EventLoop, address: SocketAddress, backlog: Int) throws(UVError) {
    guard backlog >= 1, let backlog = Int32(exactly: backlog) else {
      throw UVError(.invalidArgument, operation: "listen", subject: "backlog \(backlog)")
    }
    source = SourceCore(loop: loop, operation: "accept")
    try super.init(loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init") { raw in
      uv_tcp_init(loop.raw, raw.assumingMemoryBound(to: uv_tcp_t.self))
    }
    source.driver = self
    try check(address.withSockaddr { uv_tcp_bind(tcp, $0, 0) }, "bind", address.description)
    // libuv keeps an error of bind for later; asking for the name brings it out.
    do throws(UVError) { _ = try localAddress() } catch {
      throw UVError(error.code, operation: "bind", subject: address.description)
    }
    try check(uv_listen(cuv_stream(tcp), backlog, didConnect), "listen", address.description)
  }

  /// The address that the listener is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress {
    try checkOpen("tcp_getsockname")
    return try address("tcp_getsockname") { uv_tcp_getsockname(tcp, $0, $1) }
  }

  /// Asks for the next connection; nil never comes. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  @discardableResult
  public func next(_ done: @escaping Completion<TCPConnection?>) -> PendingRequest { source.next(done) }

  /// Calls `handler` with each connection. An error of a single connection is not an end; the listener goes on.
  ///
  /// The corresponding libuv functions are `uv_listen` and `uv_accept`.
  public func start(_ handler: @escaping Completion<TCPConnection?>) { source.start(handler) }

  /// Stops accepting; connections wait in the system's queue.
  public func stop() { source.stop() }

  /// Accepts one connection. The same as ``EventSource/next()``, but the listener's end is an error.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func accept() -> Request<TCPConnection> {
    Request(loop) { [self] in accept($0) }
  }

  /// Accepts one connection; see ``accept()``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  @discardableResult
  public func accept(_ done: @escaping Completion<TCPConnection>) -> PendingRequest {
    source.next { result in
      done(
        result.flatMap { connection in
          connection.map { .success($0) } ?? .failure(UVError(.cancelled, operation: "accept"))
        })
    }
  }

  func resume() {
    guard !isClosing else {
      let error = closedError("accept")
      return loop.queueMicrotask { [self] in source.finish(error) }
    }
    keepAlive(.source)
    // Not from here: whoever asks is still on the stack.
    guard hasPending else { return }
    loop.queueMicrotask { [self] in
      acceptPending()
      source.pauseIfUnwanted()
    }
  }

  func pause() { letGo(.source) }

  fileprivate func connectionIsWaiting(_ code: Int32) {
    if code < 0, backoff == nil { backoff = AcceptBackoff(self) }
    backoff?.note(code)
    guard code == 0 else { return }
    hasPending = true
    acceptPending()
  }

  /// Accepts for whoever waits; a connection that nobody waits for stays with libuv, which then stops polling.
  private func acceptPending() {
    guard hasPending, source.hasDemand, !isClosing else { return }
    // An error here is of one connection, whose peer has gone meanwhile: the listener goes on.
    guard let connection = try? TCPConnection(loop: loop) else { return }
    hasPending = false
    if uv_accept(cuv_stream(tcp), connection.stream) == 0 { source.deliver(connection) }
  }

  override func startUVClose() {
    backoff?.close()
    super.startUVClose()
  }

  override func didClose() {
    source.finish(UVError(.cancelled, operation: "accept"))
    super.didClose()
  }

  /// The iterator of a listener's connections.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let listener: TCPListener

    /// The next connection.
    public nonisolated(nonsending) mutating func next(
      isolation: (any Actor)? = #isolation
    ) async throws(UVError) -> TCPConnection? {
      try await listener.source.next(task: listener.loop.currentTask)
    }
  }

  /// Accepts connections until the listener is closed.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: self) }
}

private func didConnect(_ handle: UnsafeMutablePointer<uv_stream_t>?, _ code: Int32) {
  let listener = owner(of: handle!, as: TCPListener.self)
  let loop = listener.loop
  loop.beginCallback()
  listener.connectionIsWaiting(code)
  loop.endCallback()
  listener.source.pauseIfUnwanted()
}
