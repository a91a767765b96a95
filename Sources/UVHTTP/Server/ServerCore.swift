#if HTTP || Everything
import UV

/// The state of a server: its listener, its connections, and where their requests go.
///
/// Its source reports when it goes, which is when nobody wants requests. The listener is then closed, and
/// the connections that are left end by themselves.
final class ServerCore {
  let limits: HTTPLimits
  let accepting: Accepting?
  /// Where requests go, while somebody asks for them. It keeps itself alive for as long.
  private var source: CustomSource<HTTPExchange>?
  /// The connections that have something to hand out, and wait until somebody asks.
  private var waiting: [ServerConnection] = []
  private var connections: [Int: ServerConnection] = [:]
  /// The number of the connection that came last.
  private var lastNumber = 0
  private(set) var counts = HTTPServerCounts()
  /// The head that has come last.
  @exclusivity(unchecked) var lastHead: ReceivedHead?
  /// How the source ends, once somebody asks.
  private var ending: Result<Void, UVError>?
  /// Whether the listener is asked for connections.
  private var isAccepting = false
  /// Whether no more connections come.
  private var isComplete: Bool
  private(set) var isClosing = false
  /// Whether nobody will ask for requests any more.
  private(set) var isAbandoned = false

  init(_ accepting: Accepting?, _ limits: HTTPLimits) {
    self.accepting = accepting
    self.limits = limits
    isComplete = accepting == nil
  }

  func makeSource(_ loop: EventLoop) -> CustomSource<HTTPExchange> {
    let tie = SourceTie(self, loop)
    return CustomSource<HTTPExchange>(loop, "http") {
      tie.core.resume($0)
    } pause: { _ in
      tie.core.pause()
    }
  }

  private func resume(_ source: CustomSource<HTTPExchange>) {
    self.source = source
    if ending != nil { return end() }
    acceptIfWanted()
    goOn()
  }

  /// Lets the connections go on that wait.
  private func goOn() {
    let connections = waiting
    waiting = []
    for connection in connections { connection.goOn() }
  }

  private func pause() {
    source = nil
    rest()
  }

  /// The source has gone, and with it all who could ask.
  fileprivate func abandon() {
    isAbandoned = true
    rest()
    accepting?.close()
    quiesce()
    goOn()
  }

  // MARK: Connections

  private func acceptIfWanted() {
    guard source != nil, !isAccepting, !isComplete, hasRoom, let accepting else { return }
    isAccepting = true
    accepting.start { [self] result in
      switch result {
      case .success(let stream?): add(stream)
      case .success(nil): complete(nil)
      case .failure(let error): complete(error)
      }
    }
  }

  /// Whether there may be one connection more, to be served or refused.
  private var hasRoom: Bool { connections.count - limits.connections < limits.refusedConnections }

  private func rest() {
    if !isAccepting { return }
    isAccepting = false
    accepting?.stop()
  }

  func add(_ stream: ByteStream) {
    let isRefused = counts.connections >= limits.connections
    if isRefused {
      counts.refused += 1
    } else {
      counts.connections += 1
      counts.accepted += 1
    }
    lastNumber += 1
    let connection = ServerConnection(stream, self, lastNumber, isRefused: isRefused)
    connections[lastNumber] = connection
    connection.begin()
    if !hasRoom { rest() }
  }

  func didClose(_ connection: ServerConnection) {
    connections[connection.number] = nil
    if !connection.isRefused { counts.connections -= 1 }
    acceptIfWanted()
    finishIfDone()
  }

  /// Has the connections end, in the order in which they came: another order would differ from run to run.
  private func quiesce() {
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) { connection.quiesce() }
  }

  /// Whether a request may be handed out: somebody asks for it, or nobody will.
  var isWanted: Bool { source != nil || isAbandoned }

  /// Has a connection go on when that is so.
  func wait(_ connection: ServerConnection) { waiting.append(connection) }

  /// Hands a request out. If nobody will ask for it, it is dropped, and so is answered by its connection.
  func deliver(_ exchange: HTTPExchange) { source?.send(exchange) }

  // MARK: The end

  func close() {
    if isClosing { return }
    isClosing = true
    rest()
    accepting?.close()
    // Clients for whom there was no room after their handshakes. Nobody asks for them any more.
    accepting?.start { if case .success(let stream?) = $0 { stream.close() } }
    quiesce()
    complete(nil)
  }

  private func complete(_ error: UVError?) {
    isAccepting = false
    isComplete = true
    if let error, ending == nil {
      ending = .failure(error)
      end()
    }
    finishIfDone()
  }

  private func finishIfDone() {
    guard isComplete, connections.isEmpty, ending == nil else { return }
    ending = .success(())
    end()
  }

  /// Ends the source, if somebody asks.
  private func end() {
    guard let ending, let source = source.take() else { return }
    if case .failure(let error) = ending { source.finish(error) } else { source.finish() }
  }
}

/// Notifies a server's core when its source goes.
private final class SourceTie {
  let core: ServerCore
  private let loop: EventLoop

  init(_ core: ServerCore, _ loop: EventLoop) {
    self.core = core
    self.loop = loop
  }

  // Elsewhere than on the loop's thread the loop has ended.
  deinit { if loop.executor.isOnLoop { core.abandon() } }
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
#endif
