import COpenSSL

/// A handshake that is under way. It keeps its connection, and ends once: with the connection, or with an
/// error.
final class TLSHandshake {
  private let connection: TLSConnection
  private let session: TLSSession
  private let operation: String
  private let subject: String?
  private var done: Completion<TLSConnection>?
  private var timer = PendingRequest()
  /// The choice of an identity, or the work on the thread pool.
  private var stage = PendingRequest()
  /// Whether another thread has the session, or the program chooses an identity.
  private var isBusy = false
  /// When it has begun.
  let begunAt: LoopClock.Instant
  /// Whether the service that the connection belongs to ends, so that little time is left.
  private var isHurried = false
  private var moment = PendingRequest()

  /// How long a handshake may go on once a graceful shutdown of the loop has begun.
  static let timeInShutdown = Duration.seconds(1)

  init(
    _ connection: TLSConnection, _ operation: String, _ subject: String?,
    _ done: @escaping Completion<TLSConnection>
  ) {
    self.connection = connection
    session = connection.session
    self.operation = operation
    self.subject = subject
    self.done = done
    begunAt = connection.loop.now
  }

  private var loop: EventLoop { connection.loop }

  func begin(within limit: Duration) -> PendingRequest {
    session.handshake = self
    timer = loop.sleep(for: limit) { [self] result in
      switch result {
      case .success: timeOut()
      // The loop ends.
      case .failure(let error): fail(error)
      }
    }
    hurryIfNeeded()
    if session.context.isServer, !session.hasInput { take(.waits, nil) } else { connection.deliverFiltered() }
    // A caller may keep the pending request, and must not keep the connection with it. The timer keeps this
    // while it goes on.
    return PendingRequest("TLS handshake") { [weak self] in self?.cancel() }
  }

  /// Whether the next step is the peer's.
  var isWaitingForPeer: Bool { !isBusy && done != nil }

  /// Whether all of the peer's first message has come. Asked while the handshake waits for the peer.
  var isGreeted: Bool { session.isGreeted }

  /// Ends in favour of another.
  func giveWay() {
    fail(
      UVError(
        .connectionAborted, operation: operation, subject: subject,
        message: "others have come while it waited for its peer"))
  }

  func cancel() { fail(UVError(.cancelled, operation: operation, subject: subject)) }

  private func timeOut() { fail(UVError(.timedOut, operation: operation, subject: subject)) }

  /// The loop's service ends. A peer that has begun gets a moment; one that is silent doesn't hold up the
  /// shutdown.
  func hurry() {
    loop.assertOnLoop()
    if isHurried { return }
    isHurried = true
    moment = loop.sleep(for: Self.timeInShutdown) { [self] in if case .success = $0 { timeOut() } }
  }

  /// Nothing notifies a connection whose handshake is on the thread pool.
  private func hurryIfNeeded() { if connection.isQuiescing { hurry() } }

  // MARK: Going on

  /// Goes on with what has come. The stream sends what the session has to say afterwards.
  func goOn() {
    loop.assertOnLoop()
    if isBusy || done == nil { return }
    hurryIfNeeded()
    if session.context.options.handshakesOnThreadPool { goOnOnPool() } else { take(session.step(), nil) }
  }

  private func goOnOnPool() {
    assert(!session.isOnPool, "a thread of the pool has the session")
    isBusy = true
    connection.stopReadingForFilter()
    session.endReceiving()
    session.isOnPool = true
    // Sound: the loop's thread leaves the session alone until the answer has come.
    let transfer = UnsafeTransfer(session)
    stage = loop.work {
      let session = transfer.value
      let step = session.step()
      // OpenSSL keeps its errors by thread.
      let error = step == .failed ? OpenSSLError.take("", of: session.ssl) : nil
      return (step, error)
    } _: { [self] result in
      switch result {
      case .success((let step, let error)):
        isBusy = false
        session.isOnPool = false
        if done != nil { take(step, error) }
        // Bytes that came with the last ones of the handshake.
        if done == nil { connection.deliverFiltered() } else { connection.flushFilter() }
      // It may have begun, and then the other thread still has the session.
      case .failure(let error): fail(error)
      }
    }
  }

  private func take(_ step: TLSSession.Step, _ error: UVError?) {
    switch step {
    case .done: succeed()
    case .waits:
      do throws(UVError) { try connection.readForFilter() } catch { fail(error) }
    case .needsIdentity: choose()
    case .failed:
      let error = error ?? OpenSSLError.take("", of: session.ssl)
      fail(UVError(error.code, operation: operation, subject: subject, message: error.message))
    }
  }

  private func choose() {
    isBusy = true
    connection.stopReadingForFilter()
    stage = session.context.choice!(loop, session.serverName).start { [self] result in
      isBusy = false
      if done == nil { return }
      switch result {
      case .success(let identity):
        session.use(identity)
        connection.deliverFiltered()
      case .failure(let error):
        session.refuse()
        fail(error)
      }
    }
  }

  // MARK: Ending

  /// The peer has closed the connection, or it has failed.
  func transportEnded(_ error: UVError) {
    fail(UVError(error.code, operation: operation, subject: subject, message: error.message))
  }

  private func succeed() {
    guard let done = end() else { return }
    session.becomeReady()
    connection.endReadingForFilter()
    // Not from here: what came with the handshake's last bytes is delivered first.
    let connection = connection
    loop.queueMicrotask { done(.success(connection)) }
  }

  private func fail(_ error: UVError) {
    guard let done = end() else { return }
    stage.cancel()
    session.handshake = nil
    connection.stopReadingForFilter()
    connection.close()
    loop.queueMicrotask { done(.failure(error)) }
  }

  /// Ends the waiting; nil if it has ended.
  private func end() -> Completion<TLSConnection>? {
    guard let done = done.take() else { return nil }
    timer.cancel()
    moment.cancel()
    return done
  }
}
