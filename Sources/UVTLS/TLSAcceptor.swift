/// Accepts connections while somebody asks, and does their handshakes.
///
/// Peers that have sent nothing cost little, and hold up nobody: they aren't handshakes yet, and when there
/// are too many, the oldest goes. Those that have spoken have their handshake at once, or wait for a place in
/// it. A place is taken from a peer that hasn't even said whom it wants, or that has kept its handshake
/// waiting.
final class TLSAcceptor {
  /// How long a handshake may wait for its peer while others want its place. Bytes of the peer don't renew
  /// it.
  private static let patience = Duration.seconds(1)
  /// How often the waiters for a place are looked at.
  private static let beat = Duration.milliseconds(100)

  let listener: SocketListener<TLSConnection>
  private let context: TLSContext
  private let timeout: Duration
  private let limit: Int
  private let silentLimit: Int
  private let onFailure: (UVError) -> Void
  /// The source, while somebody asks. It keeps itself alive for as long.
  private var source: CustomSource<TLSConnection>?
  private var isAccepting = false
  /// Peers that have sent nothing.
  private var silent = TLSVisitors()
  /// Peers that have spoken, and wait for a place.
  private var ready = TLSVisitors()
  /// The handshakes that are under way, by number.
  private var handshakes: [Int: TLSHandshake] = [:]
  private var number = 0
  /// Ends waiters that have waited too long.
  private var timer = PendingRequest()
  private var timerDate: LoopClock.Instant?
  /// Whether no more connections come. The reader gets the end when the last handshake has ended.
  private var isComplete = false
  private var hasEnded = false

  init(
    _ loop: EventLoop, _ binding: TCPBinding, _ context: TLSContext, timeout: Duration, limit: Int,
    silentLimit: Int, _ onFailure: @escaping (UVError) -> Void
  ) throws(UVError) {
    listener = try SocketListener(loop: loop, binding) { socket throws(UVError) in try TLSConnection(socket) }
    self.context = context
    self.timeout = timeout
    self.limit = limit
    self.silentLimit = silentLimit
    self.onFailure = onFailure
    listener.makeRoom = { [unowned self] in turnSilentAway() }
  }

  var loop: EventLoop { listener.loop }

  /// How many connections wait for their handshake to begin.
  private var waitingCount: Int { silent.count + ready.count }

  func resume(_ source: CustomSource<TLSConnection>) {
    self.source = source
    acceptMore()
  }

  func pause() {
    source = nil
    rest()
  }

  /// The listener closes.
  func end() {
    hasEnded = true
    pause()
    turnAllAway(UVError(.cancelled, operation: "accept"))
    for handshake in handshakes.values { handshake.cancel() }
  }

  private func acceptMore() {
    if source == nil || isAccepting || ready.count >= silentLimit { return }
    isAccepting = true
    listener.start { [self] result in
      switch result {
      case .success(let connection?): receive(connection)
      case .success(nil):
        isComplete = true
        finishIfDone()
      case .failure(let error): source.take()?.finish(error)
      }
    }
  }

  private func finishIfDone() {
    if isComplete, handshakes.isEmpty, waitingCount == 0 { source.take()?.finish() }
  }

  /// Leaves the connections that follow in the system.
  private func rest() {
    if !isAccepting { return }
    isAccepting = false
    listener.stop()
  }

  // MARK: Before the handshake

  private func receive(_ connection: TLSConnection) {
    if waitingCount >= silentLimit { _ = turnSilentAway() }
    let time = loop.isShuttingDown ? min(timeout, TLSHandshake.timeInShutdown) : timeout
    let visitor = TLSVisitor(connection, self, deadline: LoopClock.Instant.now.advanced(by: time), source)
    connection.setFilter(visitor)
    silent.append(visitor)
    do throws(UVError) { try connection.readForFilter() } catch { return turnAway(visitor, error) }
    wakeUp(at: visitor.deadline)
  }

  /// Closes the connection that has been silent for the longest time.
  ///
  /// - Returns: Whether there was one.
  private func turnSilentAway() -> Bool {
    guard let visitor = silent.first else { return false }
    turnAway(
      visitor,
      UVError(.connectionAborted, operation: "accept", message: "others have come while it was silent"))
    return true
  }

  private func turnAllAway(_ error: UVError) {
    while let visitor = silent.first ?? ready.first { turnAway(visitor, error) }
  }

  /// Closes a connection whose handshake hasn't begun.
  func turnAway(_ visitor: TLSVisitor, _ error: UVError) {
    guard let connection = visitor.leave() else { return }
    if visitor.isReady { ready.remove(visitor) } else { silent.remove(visitor) }
    connection.stopReadingForFilter()
    connection.close()
    if !hasEnded { onFailure(UVError(error.code, operation: "accept", message: error.message)) }
    settle()
  }

  /// A peer has sent its first bytes.
  func spoke(_ visitor: TLSVisitor) {
    silent.remove(visitor)
    if ready.count == 0, hasPlace() {
      begin(visitor)
      return settle()
    }
    visitor.waitForTurn()
    ready.append(visitor)
    if ready.count >= silentLimit { rest() }
    wakeUp(at: LoopClock.Instant.now.advanced(by: Self.beat))
  }

  // MARK: Handshakes

  /// Begins the handshakes of the waiters, as long as there are places.
  private func beginWaiting() {
    while let visitor = ready.first, hasPlace() {
      ready.remove(visitor)
      begin(visitor)
    }
  }

  /// Whether another handshake may begin. The one whose peer has done the least for it gives way if it must.
  private func hasPlace() -> Bool {
    if handshakes.count < limit { return true }
    let waiting = handshakes.filter { $0.value.isWaitingForPeer }
    let victim =
      waiting.filter { !$0.value.isGreeted }.keys.min()
      ?? waiting.filter { $0.value.begunAt.advanced(by: Self.patience) <= loop.now }.keys.min()
    guard let victim else { return false }
    handshakes.removeValue(forKey: victim)?.giveWay()
    return true
  }

  private func begin(_ visitor: TLSVisitor) {
    guard let connection = visitor.leave() else { return }
    let keeper = visitor.source
    number += 1
    let number = number
    do throws(UVError) {
      // The loop cuts off who is left at the end of a shutdown.
      if connection.isClosing { throw UVError(.cancelled, operation: "accept") }
      let session = try TLSSession(context, host: nil, port: nil)
      connection.begin(session)
      let handshake = TLSHandshake(connection, "accept", nil) { [self] result in
        handshakes[number] = nil
        switch result {
        case .success(let connection):
          // The reader has gone, but may come back.
          if hasEnded || (source ?? keeper)?.send(connection) != true { connection.close() }
        case .failure(let error): if !hasEnded { onFailure(error) }
        }
        beginWaiting()
        settle()
      }
      handshakes[number] = handshake
      visitor.withBytes {
        session.receive($0)
        _ = handshake.begin(within: max(.zero, LoopClock.Instant.now.duration(to: visitor.deadline)))
        // The bytes' memory isn't the session's.
        session.endReceiving()
      }
    } catch {
      connection.close()
      if !hasEnded { onFailure(UVError(error.code, operation: "accept", message: error.message)) }
    }
  }

  /// Goes on with what a change of the lines allows.
  private func settle() {
    if waitingCount == 0 { stopClock() }
    finishIfDone()
    acceptMore()
  }

  // MARK: Time

  func wakeUp(at date: LoopClock.Instant) {
    if let timerDate, timerDate <= date { return }
    stopClock()
    timerDate = date
    timer = loop.sleep(until: date) { [self] result in
      timerDate = nil
      switch result {
      case .success: lookAtClock()
      // The loop ends.
      case .failure(let error): turnAllAway(error)
      }
    }
  }

  private func stopClock() {
    timerDate = nil
    // Not by a cancellation, which would be reported as the loop's end is.
    timer.drop()
  }

  private func lookAtClock() {
    let now = loop.now
    let error = UVError(.timedOut, operation: "accept")
    while let visitor = silent.first, visitor.deadline <= now { turnAway(visitor, error) }
    var next = ready.first
    while let visitor = next {
      next = visitor.next
      if visitor.deadline <= now { turnAway(visitor, error) }
    }
    beginWaiting()
    settle()
    if let visitor = silent.first { wakeUp(at: visitor.deadline) }
    if ready.first != nil { wakeUp(at: now.advanced(by: Self.beat)) }
  }
}
