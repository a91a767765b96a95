import UV

/// A source of the requests that come over connections.
package final class HTTPServer: EventSource {
  package typealias Element = HTTPExchange
  package typealias Failure = UVError

  let limits: HTTPLimits
  private let source: CustomSource<HTTPExchange>
  private let closeListener: () -> Void
  private var connections: [ObjectIdentifier: ServerConnection] = [:]
  private var isComplete = false
  private(set) var isClosing = false

  /// - Parameters:
  ///   - listener: A source of connections. It is asked at once, and as long as it brings some.
  ///   - close: Closes that source.
  init<Listener: EventSource>(
    _ listener: Listener, _ limits: HTTPLimits, close: @escaping () -> Void
  ) where Listener.Element: ByteStream {
    self.limits = limits
    closeListener = close
    source = CustomSource(listener.loop, "http") { _ in }
    listener.start { [self] result in
      switch result {
      case .success(let stream?): add(stream)
      case .success(nil): complete(nil)
      case .failure(let error): complete(error)
      }
    }
  }

  package var loop: EventLoop { source.loop }

  private func add(_ stream: ByteStream) {
    // An answer is written whole, so the system needn't wait for more of it. A connection that has gone says
    // so when it is read.
    if let connection = stream as? TCPConnection { try? connection.setNoDelay() }
    let connection = ServerConnection(stream, self)
    connections[ObjectIdentifier(connection)] = connection
    connection.begin()
  }

  private func complete(_ error: UVError?) {
    isComplete = true
    if let error { source.finish(error) } else { finishIfDone() }
  }

  private func finishIfDone() { if isComplete, connections.isEmpty { source.finish() } }

  func deliver(_ exchange: HTTPExchange) { source.send(exchange) }

  func didClose(_ connection: ServerConnection) {
    connections[ObjectIdentifier(connection)] = nil
    finishIfDone()
  }

  /// Ends the service: no connection is accepted any more, each is answered once more at most, and the source
  /// ends when all have ended.
  package func close() {
    isClosing = true
    closeListener()
    for connection in connections.values { connection.quiesce() }
  }

  @discardableResult
  package func next(_ done: @escaping Completion<HTTPExchange?>) -> PendingRequest { source.next(done) }

  @discardableResult
  package func next(for receiver: ElementReceiver<HTTPExchange>) -> PendingRequest {
    source.next(for: receiver)
  }

  package func start(_ handler: @escaping Completion<HTTPExchange?>) { source.start(handler) }

  package func start(for receiver: ElementReceiver<HTTPExchange>) { source.start(for: receiver) }

  package func stop() { source.stop() }

  package func makeAsyncIterator() -> SourceIterator<HTTPExchange> { source.makeAsyncIterator() }
}

/// HTTP on a loop.
package struct HTTP {
  let loop: EventLoop

  /// Listens for connections, and reads requests from them.
  func listen(
    host: String = "127.0.0.1", port: Int = 0, limits: HTTPLimits = HTTPLimits()
  ) throws(UVError) -> (HTTPServer, SocketAddress) {
    let listener = try loop.tcp.listen(host: host, port: port)
    return (serve(listener, limits: limits) { listener.close() }, try listener.localAddress())
  }

  /// Reads requests from the connections of any source: TCP, pipes or TLS.
  func serve<Listener: EventSource>(
    _ listener: Listener, limits: HTTPLimits = HTTPLimits(), close: @escaping () -> Void = {}
  ) -> HTTPServer where Listener.Element: ByteStream {
    HTTPServer(listener, limits, close: close)
  }
}

extension EventLoop {
  /// HTTP on this loop.
  package var http: HTTP { HTTP(loop: self) }
}
