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
/// A listener keeps its loop running, whether or not somebody asks, unless ``Handle/keepsLoopRunning`` is
/// false.
///
/// The corresponding libuv functions are `uv_listen` and `uv_accept`. The socket is polled (`uv_poll_start`)
/// while somebody asks, since libuv's own functions can't let a listener rest.
public class StreamListener<Connection: ByteStream>: SourceHandle<Connection> {
  /// How many connections are accepted at a stretch, before other handles have their turn.
  private static var connectionsPerEvent: Int { 64 }

  private let makeConnection: (EventLoop, Int32) throws(UVError) -> Connection
  private let backoff: AcceptBackoff
  /// How many connections may be accepted after the listener was asked to stop.
  var restCount = 0
  private var isStopping = false
  private var hasStopped = false
  /// The connections that waited when the loop's service ended, for a reader who asks later.
  var left = Queue<Connection>()
  /// Frees a descriptor when the system has none left; false if there is none to free.
  package var makeRoom: (() -> Bool)?
  /// Whether the listener waits until a connection has closed.
  private var isFull = false

  /// How many accepted connections the loop may have open at a time, 1 or more. While there are as many, this
  /// listener accepts none. The default is no limit.
  ///
  /// ```swift
  /// listener.connectionLimit = 1000
  /// for try await connection in listener { loop.spawn { … } }
  /// ```
  ///
  /// Peers beyond the limit wait in the system's queue, as many as the listener's backlog. They are connected
  /// for what they can see, and get an answer when it is their turn. All connections count that any listener
  /// of the loop has accepted, since they share its memory and its time. A peer that says nothing holds its
  /// place for as long as you let it: set ``ByteStream/readTimeout`` or ``ByteStream/idleTimeout`` on each
  /// connection, and choose a limit that is well above the number of peers that are served at a time. A
  /// graceful shutdown of the loop accepts those that wait, regardless of the limit.
  public var connectionLimit = Int.max {
    didSet {
      require(
        connectionLimit >= 1,
        "connectionLimit \(connectionLimit): a listener needs room for 1 connection or more")
      if isFull { connectionClosed() }
    }
  }

  private var hasRoom: Bool { loop.openHandles.acceptedCount < connectionLimit }

  init(
    loop: EventLoop, size: Int, _ operation: String, _ initialize: (UnsafeMutableRawPointer) -> Int32,
    connection makeConnection: @escaping (EventLoop, Int32) throws(UVError) -> Connection
  ) throws(UVError) {
    self.makeConnection = makeConnection
    backoff = AcceptBackoff(loop)
    try super.init(loop: loop, "accept", size: size, operation, initialize)
  }

  /// Begins to listen at the address that the handle is bound to.
  ///
  /// - Parameter place: Where a successor of this process finds the socket; nil if it isn't to find it.
  func listen(backlog: Int, _ subject: String, _ place: ListeningPlace?) throws(UVError) {
    guard backlog >= 1, let backlog = Int32(exactly: backlog) else {
      throw UVError(.invalidArgument, operation: "listen", subject: "backlog \(backlog)")
    }
    try setTCPDefaults()
    try check(cuv_listen(fileDescriptor(), backlog), "listen", subject)
    block.keep(try ListenerPoll(self, descriptor: fileDescriptor(), subject, place))
    block.own()
    take(role: .listener)
    // Linux lets one more wait than the backlog says.
    restCount = Int(backlog) + 1
  }

  /// The address that the listener is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the listener is closed, and `notSupported` if it isn't TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try localTCPAddress() }

  /// Accepts one connection. It does the same as ``EventSource/next()``, except that the listener's end is an
  /// error: `cancelled`.
  ///
  /// - Returns: A request for the connection.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func accept() -> Request<Connection> {
    Request(of: loop) { [self] in accept($0) }
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

  override func startProducing() throws(UVError) {
    if isStopping { return loop.queueMicrotask { [self] in acceptRest() } }
    if !hasRoom { return waitForRoom() }
    // Sound: the listener retains itself while somebody asks.
    let context = Unmanaged<Handle>.passUnretained(self).toOpaque()
    guard let poll = block.listenerPoll else { throw UVError(.badDescriptor, operation: "accept") }
    try poll.start(context, canAccept)
  }

  override func stopProducing() {
    backoff.end()
    endWaitForRoom()
    block.listenerPoll?.stop()
  }

  private func waitForRoom() {
    // A reader that got the last connection may have closed the listener.
    if isFull || isClosing { return }
    isFull = true
    // Balanced in `endWaitForRoom`, which a listener that nobody reads any more calls, too.
    loop.openHandles.fullListeners.append(.passUnretained(self))
  }

  private func endWaitForRoom() {
    if !isFull { return }
    isFull = false
    loop.openHandles.fullListeners.removeAll {
      $0.toOpaque() == Unmanaged<Handle>.passUnretained(self).toOpaque()
    }
  }

  /// A connection of the loop has closed, or the limit has changed.
  override func connectionClosed() {
    if isClosing || !hasRoom { return }
    endWaitForRoom()
    do throws(UVError) { try startProducing() } catch { source.finish(error) }
  }

  /// Accepts connections for as long as somebody asks. The others stay in the system's queue.
  override func connectionsArrived() {
    for _ in 0..<Self.connectionsPerEvent {
      guard source.hasDemand, let listening = try? fileDescriptor() else { break }
      if !hasRoom {
        block.listenerPoll?.stop()
        waitForRoom()
        break
      }
      let descriptor = cuv_accept(listening)
      if AcceptBackoff.isNeeded(descriptor) {
        if let makeRoom, makeRoom() { continue }
        loop.microtasks.state.pointee.counts.refused += 1
        block.listenerPoll?.stop()
        backoff.begin { [unowned self] in
          do throws(UVError) { try startProducing() } catch { source.finish(error) }
        }
      }
      if descriptor == UV_EAGAIN.rawValue || AcceptBackoff.isNeeded(descriptor) { break }
      // Another error concerns one connection, whose peer has gone. The listener goes on.
      if descriptor < 0 { loop.microtasks.state.pointee.counts.refused += 1 }
      if descriptor >= 0 { loop.callback { deliver(descriptor) } }
    }
    source.pauseIfUnwanted()
  }

  private func deliver(_ descriptor: Int32) {
    if let connection = accept(descriptor) { source.deliver(connection) }
  }

  /// Makes a connection of a socket; nil if that fails.
  func accept(_ descriptor: Int32) -> Connection? {
    backoff.succeed()
    do throws(UVError) {
      let connection = try makeConnection(loop, descriptor)
      connection.block.own()
      connection.take(role: .accepted)
      loop.microtasks.state.pointee.counts.accepted += 1
      return connection
    } catch {
      loop.microtasks.state.pointee.counts.refused += 1
      _ = CUV.close(descriptor)
      return nil
    }
  }

  // MARK: The end of the service

  /// When its loop shuts down gracefully, a listener's readers see its end, which is nil. Before that they
  /// get the connections that wait: the system would reset these, although their peers may have sent a
  /// request. A reader who is busy gets them when he asks again.
  override func stopListening() {
    if isStopping || isClosing { return loop.didStopListening() }
    isStopping = true
    backoff.end()
    endWaitForRoom()
    block.listenerPoll?.stop()
    acceptRest()
  }

  override var leftCount: Int { left.count }

  override func endListening() {
    if isClosing { return }
    source.finish()
    startClosing()
  }

  override func startUVClose() {
    backoff.end()
    endWaitForRoom()
    super.startUVClose()
    if !isStopping || hasStopped { return }
    hasStopped = true
    letGo(.shutdown)
    loop.didStopListening()
  }
}

private func canAccept(_ poll: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  // A callback can't name the generic class, so it calls the listener through the base class.
  owner(of: poll!, as: Handle.self).connectionsArrived()
}
