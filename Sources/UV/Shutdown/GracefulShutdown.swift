import CUV

/// The graceful shutdown of a loop: no new peer comes, and the connected ones get time.
final class GracefulShutdown: ServiceEnd {
  // Sound: the loop owns this.
  private unowned(unsafe) let loop: EventLoop
  private var waiters = Waiters<ShutdownReport>()
  private var deadlines: [PendingRequest] = []
  private var report = ShutdownReport()
  /// How many listeners are asked to stop, and haven't closed yet.
  private var listenerCount = 0
  /// Those of them that keep connections for a reader who is busy.
  private var waiting: [Handle] = []
  private var isLookingForReaders = false

  init(_ loop: EventLoop) { self.loop = loop }

  /// Waits for the end, with a limit of its own. The shortest limit of all waiters counts.
  func wait(within limit: Duration, _ done: @escaping Completion<ShutdownReport>) -> PendingRequest {
    loop.requireOnLoop("shutdownGracefully(within:)")
    let number = waiters.add(done)
    if isIdle {
      loop.queueMicrotask { [self] in finishIfIdle() }
    } else {
      deadlines.append(
        loop.sleep(for: limit) { [self] result in if case .success = result { cutOff() } })
    }
    return PendingRequest("shutdownGracefully") { [self] in
      guard let done = waiters.take(number) else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "shutdownGracefully"))) }
    }
  }

  /// Whether nothing of the service is left.
  private var isIdle: Bool { loop.openHandles.acceptedCount == 0 && listenerCount == 0 }

  /// Notifies the connections of the end and closes listeners. Their readers are notified later, not on the
  /// caller's stack.
  func stopListening() {
    loop.ending.notifyObservers()
    loop.forEachHandle { block in
      // Only a connection that keeps itself alive has a reader or a writer who waits for such news.
      if block.header.pointee.role == .accepted, !block.isClosing {
        block.header.pointee.retainedOwner?.takeUnretainedValue().serviceEnds()
      }
      guard block.header.pointee.role == .listener, !block.isClosing else { return }
      guard let owner = block.listenerPoll?.owner else { return block.close() }
      listenerCount += 1
      loop.queueMicrotask { owner.stopListening() }
    }
  }

  /// Resets the connections that haven't ended in time.
  private func cutOff() {
    loop.forEachHandle { block in
      guard block.header.pointee.role == .accepted, !block.isClosing else { return }
      report.count += 1
      let isTCP = cuv_handle_type(block.handle) == UV_TCP
      if isTCP, let peer = try? peer(of: block) { report.peers.append(peer) }
      if let owner = block.header.pointee.retainedOwner?.takeUnretainedValue() {
        owner.cutOff()
      } else if !isTCP || !block.closeReset() {
        block.close()
      }
    }
    for listener in waiting { listener.endListening() }
  }

  func listenerWaits(_ listener: Handle) {
    if !waiting.contains(where: { $0 === listener }) { waiting.append(listener) }
    lookForReaders()
  }

  func connectionClosed() {
    finishIfIdle()
    lookForReaders()
  }

  /// Cuts off the connections that listeners keep once no other one is open, and nobody has asked by the next
  /// turn: a server that serves one after the other asks when it is done with one.
  private func lookForReaders() {
    if isLookingForReaders || !hasNoReaders { return }
    isLookingForReaders = true
    loop.sleep(for: .zero) { [self] result in
      isLookingForReaders = false
      if case .success = result, hasNoReaders { cutOff() }
    }
  }

  private var hasNoReaders: Bool {
    !waiting.isEmpty && loop.openHandles.acceptedCount == waiting.reduce(0) { $0 + $1.leftCount }
  }

  private func peer(of block: HandleBlock) throws(UVError) -> SocketAddress {
    let tcp = block.raw.assumingMemoryBound(to: uv_tcp_t.self)
    return try address("tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }
  }

  func didStopListening() {
    listenerCount -= 1
    assert(listenerCount >= 0, "a listener stops twice")
    waiting.removeAll { $0.isClosing }
    finishIfIdle()
  }

  private func finishIfIdle() {
    guard isIdle else { return }
    for deadline in deadlines { deadline.cancel() }
    deadlines = []
    let report = self.report
    for done in waiters.takeAll() { loop.queueMicrotask { done(.success(report)) } }
  }
}

extension EventLoop {
  /// Ends the loop's service. Its listeners accept the connections that wait for them, and close. The
  /// connections that came through them get time to end by themselves; those that haven't ended by then are
  /// reset.
  ///
  /// A loop over a listener's connections ends without an error, once it has got those that waited. A server
  /// that serves one after the other gets them when it asks again. They are reset, and are in the report, if
  /// no other connection of the loop is open and nobody asks. Connections that this program made itself
  /// are left alone. The loop goes on: its run ends when the rest of its work has ended, or with ``stop()``.
  /// The program decides what to send each peer. A connection can check ``ByteStream/isQuiescing`` between
  /// two requests, and wait for ``ByteStream/quiescing()``.
  ///
  /// If you ask again meanwhile, all requests wait for the same end and the shortest limit counts. So a
  /// second signal can hurry the shutdown, as it does in ``shutdownGracefully(onSignals:within:)``.
  /// Cancelling the request ends the waiting only; the shutdown goes on.
  ///
  /// - Parameter limit: How long the connections may take. Zero or less resets them on the next turn.
  /// - Returns: A request for a report of what was cut off.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  public func shutdownGracefully(within limit: Duration) -> Request<ShutdownReport> {
    Request(of: self) { [self] in shutdownGracefully(within: limit, $0) }
  }

  /// Ends the loop's service; see ``shutdownGracefully(within:)``.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  @discardableResult
  public func shutdownGracefully(
    within limit: Duration, _ done: @escaping Completion<ShutdownReport>
  ) -> PendingRequest {
    if isClosed {
      answer {
        done(.failure(UVError(.loopClosed, operation: "shutdownGracefully")))
      }
      return PendingRequest()
    }
    return endService().wait(within: limit, done)
  }

  /// Ends the loop's service when the process receives a signal; see ``shutdownGracefully(within:)``. If
  /// another of these signals comes before the end, the connections get no more time.
  ///
  /// ```swift
  /// let listener = try loop.tcp.listen(port: 8080)
  /// loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(10)) { result in
  ///   if case .success(let report) = result { print("\(report.count) connections were cut off") }
  /// }
  /// for try await connection in listener { … }   // ends when a signal comes
  /// ```
  ///
  /// The signals have no other effect while the request is pending. Afterwards they end the process again.
  /// While it waits for a signal, the request doesn't keep the loop running; a task that awaits it does. It
  /// fails with `cancelled` if the loop ends without a signal. If ``shutdownGracefully(within:)`` ends the
  /// service before a signal comes, this request waits for the same end. Cancelling it ends the waiting only:
  /// a shutdown that has begun goes on.
  ///
  /// - Parameters:
  ///   - signals: The signals to wait for, at least one.
  ///   - limit: How long the connections may take from the signal on. Zero or less resets them on the next
  ///     turn.
  /// - Returns: A request for a report of what was cut off. It fails with `invalidArgument` if a signal can't
  ///   be watched, such as `SIGKILL`.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_close`.
  public func shutdownGracefully(onSignals signals: [Signal], within limit: Duration) -> Request<
    ShutdownReport
  > {
    Request(of: self) { [self] in shutdownGracefully(onSignals: signals, within: limit, $0) }
  }

  /// Ends the loop's service when the process receives a signal; see
  /// ``shutdownGracefully(onSignals:within:)``.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_close`.
  @discardableResult
  public func shutdownGracefully(
    onSignals signals: [Signal], within limit: Duration, _ done: @escaping Completion<ShutdownReport>
  ) -> PendingRequest {
    let shutdown = SignalledShutdown(on: self, within: limit, keepsLoopRunning: false) { [self] in
      shutdownGracefully(within: $0, $1)
    }
    let pending = shutdown.start(signals, done)
    ending.add(shutdown)
    if isShuttingDown { shutdown.serviceEnds() }
    return pending
  }

  /// Closes the listeners, for good.
  func stopListening() { _ = endService() }

  private func endService() -> GracefulShutdown {
    let service = ending.service as? GracefulShutdown ?? GracefulShutdown(self)
    ending.service = service
    service.stopListening()
    return service
  }
}
