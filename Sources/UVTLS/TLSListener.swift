/// A listening TCP socket whose connections are encrypted: a source of connections whose handshake is done.
///
/// A handshake that fails, or that takes too long, ends its connection alone.
///
/// The listener accepts connections only while somebody asks. Closing it ends a `for try await` loop over it without an error.
/// The connections that came through it stay open; handshakes that are under way end.
///
/// The corresponding functions are libuv's `uv_listen` and OpenSSL's `SSL_accept`.
public final class TLSListener: EventSource {
  /// The elements of the source.
  public typealias Element = TLSConnection
  /// The error that ends the source early.
  public typealias Failure = UVError

  private let acceptor: TLSAcceptor
  private let source: CustomSource<TLSConnection>

  init(_ acceptor: TLSAcceptor) {
    self.acceptor = acceptor
    source = CustomSource(acceptor.loop, "accept") {
      acceptor.resume($0)
    } pause: { _ in
      acceptor.pause()
    }
  }

  /// The loop that the listener belongs to.
  public var loop: EventLoop { acceptor.loop }

  /// The address that the listener is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try acceptor.tcp.localAddress() }

  /// Accepts one connection. It does the same as ``EventSource/next()``, except that the listener's end is an error:
  /// `cancelled`.
  ///
  /// - Returns: A request for the connection, whose handshake is done.
  ///
  /// The corresponding functions are libuv's `uv_accept` and OpenSSL's `SSL_accept`.
  public func accept() -> Request<TLSConnection> {
    Request(loop) { [self] in accept($0) }
  }

  /// Accepts one connection; see ``accept()``.
  ///
  /// The corresponding functions are libuv's `uv_accept` and OpenSSL's `SSL_accept`.
  @discardableResult
  public func accept(_ done: @escaping Completion<TLSConnection>) -> PendingRequest {
    next { result in
      done(
        result.flatMap { connection in
          connection.map { .success($0) } ?? .failure(UVError(.cancelled, operation: "accept"))
        })
    }
  }

  /// Closes the listener. Handshakes that are under way end; connections that have been delivered stay open.
  ///
  /// - Returns: A request that succeeds when the socket is closed.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func close() -> Request<Void> {
    acceptor.end()
    source.finish()
    return acceptor.tcp.close()
  }

  // MARK: Asking

  /// Asks for the next connection, or nil at the end; see ``EventSource/next(_:)``.
  @discardableResult
  public func next(_ done: @escaping Completion<TLSConnection?>) -> PendingRequest { source.next(done) }

  /// Asks for the next connection on behalf of an object; see ``ElementReceiver``.
  @discardableResult
  public func next(for receiver: ElementReceiver<TLSConnection>) -> PendingRequest {
    source.next(for: receiver)
  }

  /// Calls `handler` with each connection as it comes; see ``EventSource/start(_:)``.
  public func start(_ handler: @escaping Completion<TLSConnection?>) { source.start(handler) }

  /// Ends what ``start(_:)`` began. Connections that come later wait until somebody asks for them.
  public func stop() { source.stop() }

  /// Iterates over the connections until the listener is closed.
  public func makeAsyncIterator() -> SourceIterator<TLSConnection> { source.makeAsyncIterator() }
}

/// Accepts connections while somebody asks, and does their handshakes.
final class TLSAcceptor {
  let tcp: TCPListener
  private let context: TLSContext
  private let timeout: Duration
  private let limit: Int
  private let onFailure: (UVError) -> Void
  /// The source, while somebody asks. It keeps itself alive for as long.
  private var source: CustomSource<TLSConnection>?
  private var accepting: PendingRequest?
  /// The handshakes that are under way, by number.
  private var handshakes: [Int: PendingRequest] = [:]
  private var number = 0
  /// Counts the times that a connection was asked for, so that the answer to a cancelled one isn't taken for another's.
  private var askings = 0
  private var hasEnded = false

  init(
    _ tcp: TCPListener, _ context: TLSContext, timeout: Duration, limit: Int,
    _ onFailure: @escaping (UVError) -> Void
  ) {
    self.tcp = tcp
    self.context = context
    self.timeout = timeout
    self.limit = limit
    self.onFailure = onFailure
  }

  var loop: EventLoop { tcp.loop }

  func resume(_ source: CustomSource<TLSConnection>) {
    self.source = source
    acceptMore()
  }

  func pause() {
    source = nil
    askings += 1
    accepting.take()?.cancel()
  }

  /// The listener closes.
  func end() {
    hasEnded = true
    pause()
    for handshake in handshakes.values { handshake.cancel() }
  }

  private func acceptMore() {
    if source == nil || accepting != nil || handshakes.count >= limit { return }
    askings += 1
    let asking = askings
    accepting = tcp.next { [self] result in
      if asking != askings { return }
      accepting = nil
      switch result {
      case .success(let plain?): greet(plain)
      case .success(nil): source.take()?.finish()
      case .failure(let error): source.take()?.finish(error)
      }
      acceptMore()
    }
  }

  private func greet(_ plain: TCPConnection) {
    number += 1
    let number = number
    let keeper = source
    handshakes[number] = loop.tls.accept(plain, context, within: timeout) { [self] result in
      handshakes[number] = nil
      switch result {
      case .success(let connection):
        // The reader has gone, but may come back.
        if hasEnded { connection.close() } else { (source ?? keeper)?.send(connection) }
      case .failure(let error):
        plain.close()
        if !hasEnded { onFailure(error) }
      }
      acceptMore()
    }
  }
}
