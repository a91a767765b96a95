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
    loop.ending.tellObservers()
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
