import BenchHarness
import UV
import UVFutures
import UVStalls
import UVTLS

#if Everything
  import UVService
#endif

/// Where connections come from, encrypted or not.
protocol ServerListener: EventSource, SendableMetatype
where Element: ServerConnection, Failure == UVError, AsyncIterator: SendableMetatype {
  static func listen(_ task: ServerTask, on loop: EventLoop) throws(UVError) -> Self
  /// Where it listens, for the load generator; 0 for a path.
  func port() throws(UVError) -> UInt16
  @discardableResult func close() -> Request<Void>
}

protocol ServerConnection: ByteStream {
  func setNoDelay(_ isEnabled: Bool) throws(UVError)
}

extension TCPConnection: ServerConnection {}

extension TCPListener: ServerListener {
  static func listen(_ task: ServerTask, on loop: EventLoop) throws(UVError) -> TCPListener {
    try loop.tcp.listen(host: task.host, port: 0, backlog: 1024)
  }

  func port() throws(UVError) -> UInt16 { try localAddress().port }
}

extension PipeConnection: ServerConnection {
  // The Unix domain knows no delay.
  func setNoDelay(_: Bool) {}
}

extension PipeListener: ServerListener {
  static func listen(_ task: ServerTask, on loop: EventLoop) throws(UVError) -> PipeListener {
    try loop.pipes.listen(path: task.path ?? "", backlog: 1024)
  }

  func port() -> UInt16 { 0 }
}

extension TLSConnection: ServerConnection {}

extension TLSListener: ServerListener {
  static func listen(_ task: ServerTask, on loop: EventLoop) throws(UVError) -> TLSListener {
    let path = task.identity ?? ""
    let identity = try TLSIdentity(certificateChain: path, privateKey: path)
    return try loop.tls.listen(host: task.host, port: 0, .server(identity), backlog: 1024)
  }

  func port() throws(UVError) -> UInt16 { try localAddress().port }
}

/// What all Swift rows of a workload with connections share: the listener, and what has been served.
final class TCPService<Listener: ServerListener>: RowRun {
  /// Listens on a port of its own.
  let listener: Listener
  /// Bytes received and sent on all connections.
  var bytesRead = 0
  var bytesWritten = 0

  /// Held by the future rows.
  var subscriptions: Set<AnyCancellable> = []

  private let loop: EventLoop
  private let task: ServerTask
  /// How many bytes may be read before a snapshot of the loop is due.
  private var snapshotDue = Int.max
  private var accepted = 0
  private var closed = 0
  private var jobs: JobCount
  private var failure: (any Error)?

  /// Listens, and names the address to the load generator.
  init(_ task: ServerTask, on loop: EventLoop) throws(UVError) {
    (self.loop, self.task) = (loop, task)
    listener = try Listener.listen(task, on: loop)
    jobs = JobCount(loop)
    switch task.watch {
    case .lag: try loop.configure(.lag)
    // No turn takes so long: this is the cost of being watched.
    case .stalls: try loop.watchStalls(longerThan: .seconds(1))
    case .metrics:
      #if Everything
        loop.reportMetrics(every: .milliseconds(100))
      #else
        break  // The parameter is refused.
      #endif
    case .snapshots: snapshotDue = bytesPerSnapshot
    case .nothing, .timeouts: break
    }
    task.listening(try listener.port())
  }

  /// Bytes of a message or a write.
  var size: Int { task.size }

  /// How many jobs may be under way; 0 for any number.
  var limit: Int { task.limit }

  /// What is to be written after these bytes have been read.
  func answer<Exchange: ServerExchange>(_ chunk: Bytes, _ exchange: inout Exchange) -> Bytes {
    let answer = exchange.answer(chunk)
    bytesRead += chunk.count
    bytesWritten += answer.count
    if bytesRead >= snapshotDue { takeSnapshot() }
    return answer
  }

  private func takeSnapshot() {
    snapshotDue += bytesPerSnapshot
    if loop.snapshot().handles.count == 0 { fail(WrongWork("a snapshot shows no connections")) }
  }

  private var bytesPerSnapshot: Int { 1000 * size }

  /// Prepares a connection that was accepted; the last one closes the listener.
  func admit(_ connection: Listener.Element) {
    accepted += 1
    if isFull { listener.close() }
    if task.watch == .timeouts {
      connection.readTimeout = .seconds(60)
      connection.writeTimeout = .seconds(60)
      connection.idleTimeout = .seconds(60)
    }
    do throws(UVError) { try connection.setNoDelay(true) } catch { fail(error, on: connection) }
  }

  /// The connection that a listener's callback brought; nil, and the failure noted, where
  /// there is none.
  func accept(_ result: Result<Listener.Element?, UVError>) -> Listener.Element? {
    switch result {
    case .success(let connection?):
      admit(connection)
      return connection
    case .success(nil): return nil
    case .failure(let error):
      end(.failure(error))
      return nil
    }
  }

  /// Whether the last connection has been accepted.
  var isFull: Bool { accepted == task.connections }

  /// Closes a connection that has been served.
  func close(_ connection: ByteStream) {
    connection.close { [self] _ in
      closed += 1
      guard closed == task.connections else { return }
      jobs = JobCount(connection.loop).since(jobs)
      task.closed()
    }
  }

  /// Notes a failure to write.
  func check(_ result: Result<Void, UVError>, on connection: ByteStream) {
    if case .failure(let error) = result { fail(error, on: connection) }
  }

  /// Notes how the listener ended.
  func end(_ completion: Subscribers.Completion<UVError>) {
    // It is closed after the last connection.
    if case .failure(let error) = completion, !isFull { fail(error) }
  }

  /// Ends a connection whose pipeline has ended.
  func end(_ completion: Subscribers.Completion<UVError>, of connection: ByteStream) {
    switch completion {
    case .finished: close(connection)
    case .failure(let error): fail(error, on: connection)
    }
  }

  /// Notes the first failure, and closes what it happened on.
  func fail(_ error: any Error, on connection: ByteStream? = nil) {
    if failure == nil { failure = error }
    connection?.close()
  }

  /// What was served, once the loop has ended.
  func report() throws -> ServerReport {
    if let failure { throw WrongWork("\(failure)") }
    guard closed == task.connections else {
      throw WrongWork("\(closed) of \(task.connections) connections were closed")
    }
    return ServerReport(bytesRead: bytesRead, bytesWritten: bytesWritten, jobs: jobs)
  }
}
