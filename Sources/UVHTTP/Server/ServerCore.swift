import UV

/// What a server knows: its listener, its connections, and where their requests go.
///
/// The source of the requests keeps it, and so does the server. A connection doesn't: those that are left when
/// nobody wants requests any more end by themselves.
final class ServerCore {
  let limits: HTTPLimits
  let accepting: Accepting?
  private weak var source: CustomSource<HTTPExchange>?
  private var connections: [ObjectIdentifier: ServerConnection] = [:]
  /// Whether somebody asks for requests.
  private var isAsked = false
  /// Whether the listener is asked for connections.
  private var isAccepting = false
  /// Whether no more connections come.
  private var isComplete: Bool
  private(set) var isClosing = false

  init(_ accepting: Accepting?, _ limits: HTTPLimits) {
    self.accepting = accepting
    self.limits = limits
    isComplete = accepting == nil
  }

  deinit {
    // Elsewhere than on the loop's thread the loop has ended.
    guard let connection = connections.values.first, connection.loop.executor.isOnLoop else { return }
    for connection in connections.values { connection.quiesce() }
  }

  func makeSource(_ loop: EventLoop) -> CustomSource<HTTPExchange> {
    let source = CustomSource<HTTPExchange>(loop, "http") { [self] _ in
      isAsked = true
      acceptIfWanted()
    } pause: { [self] _ in
      isAsked = false
      rest()
    }
    self.source = source
    return source
  }

  // MARK: Connections

  private func acceptIfWanted() {
    guard isAsked, !isAccepting, !isComplete, connections.count < limits.connections, let accepting else {
      return
    }
    isAccepting = true
    accepting.start { [self] result in
      switch result {
      case .success(let stream?): add(stream)
      case .success(nil): complete(nil)
      case .failure(let error): complete(error)
      }
    }
  }

  private func rest() {
    if !isAccepting { return }
    isAccepting = false
    accepting?.stop()
  }

  func add(_ stream: ByteStream) {
    let connection = ServerConnection(stream, self)
    connections[ObjectIdentifier(connection)] = connection
    connection.begin()
    if connections.count >= limits.connections { rest() }
  }

  func didClose(_ connection: ServerConnection) {
    connections[ObjectIdentifier(connection)] = nil
    acceptIfWanted()
    finishIfDone()
  }

  /// Hands a request out. If nobody will ask for it, it is dropped, and so is answered by its connection.
  func deliver(_ exchange: HTTPExchange) { source?.send(exchange) }

  // MARK: The end

  func close() {
    if isClosing { return }
    isClosing = true
    rest()
    accepting?.close()
    for connection in connections.values { connection.quiesce() }
    complete(nil)
  }

  private func complete(_ error: UVError?) {
    isAccepting = false
    isComplete = true
    if let error { source?.finish(error) } else { finishIfDone() }
  }

  private func finishIfDone() { if isComplete, connections.isEmpty { source?.finish() } }
}

/// A source of connections, of whatever type.
struct Accepting {
  let start: (@escaping Completion<ByteStream?>) -> Void
  let stop: () -> Void
  let close: () -> Void
  private let address: () -> Result<SocketAddress, UVError>

  init<Listener: ConnectionSource>(_ listener: Listener) {
    start = { handler in listener.start { result in handler(result.map { $0 }) } }
    stop = { listener.stop() }
    close = { listener.close() }
    address = { Result { () throws(UVError) in try listener.localAddress() } }
  }

  func localAddress() throws(UVError) -> SocketAddress { try address().get() }
}
