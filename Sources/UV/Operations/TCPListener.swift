import CUV

/// A listening TCP socket: a source of connections.
///
/// A connection is accepted only when somebody asks for one; the others wait in the system's queue.
public final class TCPListener: Handle, EventSource, SourceDriver {
  /// What the source delivers.
  public typealias Element = TCPConnection
  /// What ends it before its time.
  public typealias Failure = UVError

  let source: SourceCore<TCPConnection>
  /// libuv holds a connection that nobody has asked for yet, and listens again once it is accepted.
  private var hasPending = false

  private var tcp: UnsafeMutablePointer<uv_tcp_t> { block.raw.assumingMemoryBound(to: uv_tcp_t.self) }

  init(loop: EventLoop, address: SocketAddress, backlog: Int, reusePort: Bool) throws(UVError) {
    guard backlog >= 1, let backlog = Int32(exactly: backlog) else {
      throw UVError(.invalidArgument, operation: "listen", subject: "backlog \(backlog)")
    }
    source = SourceCore(loop: loop, operation: "accept")
    try super.init(loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init") { raw in
      // The option is set between the making of the socket and its binding.
      let family = reusePort ? UInt32(address.isIPv6 ? AF_INET6 : AF_INET) : UInt32(AF_UNSPEC)
      return uv_tcp_init_ex(loop.raw, raw.assumingMemoryBound(to: uv_tcp_t.self), family)
    }
    source.driver = self
    if reusePort { try check(cuv_reuse_port(fileDescriptor()), "setsockopt SO_REUSEPORT", address.description) }
    try check(address.withSockaddr { uv_tcp_bind(tcp, $0, 0) }, "bind", address.description)
    // libuv keeps an error of bind for later; asking for the name brings it out.
    do throws(UVError) { _ = try localAddress() } catch {
      throw UVError(error.code, operation: "bind", subject: address.description)
    }
    try check(uv_listen(cuv_stream(tcp), backlog, didConnect), "listen", address.description)
    take(role: .listener)
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

  /// Asks for the next connection; nil when the loop shuts down gracefully. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  @discardableResult
  public func next(_ done: @escaping Completion<TCPConnection?>) -> PendingRequest { source.next(done) }

  /// Calls `handler` with each connection, and with nil when the loop shuts down gracefully. An error of a single
  /// connection is not an end; the listener goes on.
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

  fileprivate func connectionIsWaiting() {
    hasPending = true
    acceptPending()
  }

  /// Accepts for whoever waits; a connection that nobody waits for stays with libuv, which then stops polling.
  private func acceptPending() {
    guard hasPending, source.hasDemand, !isClosing else { return }
    // An error here is of one connection, whose peer has gone meanwhile: the listener goes on.
    guard let connection = try? TCPConnection(loop: loop) else { return }
    hasPending = false
    guard uv_accept(cuv_stream(tcp), connection.stream) == 0 else { return }
    connection.take(role: .accepted)
    source.deliver(connection)
  }

  override func stopListening() {
    source.finish()
    super.stopListening()
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

  /// Accepts connections until the loop shuts down gracefully; fails with `cancelled` when the listener is closed.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: self) }
}

private func didConnect(_ handle: UnsafeMutablePointer<uv_stream_t>?, _ code: Int32) {
  let listener = owner(of: handle!, as: TCPListener.self)
  let loop = listener.loop
  loop.beginCallback()
  // A negative code is of one connection too, or for want of descriptors: the listener goes on.
  if code == 0 { listener.connectionIsWaiting() }
  loop.endCallback()
  listener.source.pauseIfUnwanted()
}
