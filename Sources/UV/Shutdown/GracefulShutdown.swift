import CUV

/// The end of a loop's service: nobody new comes, and those who came are given time.
final class GracefulShutdown {
  // Sound: the loop owns this.
  private unowned(unsafe) let loop: EventLoop
  private var waiters = Waiters<ShutdownReport>()
  private var deadlines: [PendingRequest] = []
  private var report = ShutdownReport()

  init(_ loop: EventLoop) { self.loop = loop }

  /// Waits for the end, within a time of its own: the shortest of all who wait counts.
  func wait(within limit: Duration, _ done: @escaping Completion<ShutdownReport>) -> PendingRequest {
    let number = waiters.add(done)
    if loop.acceptedCount == 0 {
      loop.queueMicrotask { [self] in finish() }
    } else {
      deadlines.append(
        loop.sleep(for: limit) { [self] result in if case .success = result { cutOff() } })
    }
    return PendingRequest { [self] in
      guard let done = waiters.take(number) else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "shutdownGracefully"))) }
    }
  }

  /// Closes the listeners. What is told of that is told later, not on the caller's stack.
  func stopListening() {
    loop.forEachHandle { block in
      guard block.header.pointee.role == .listener, !block.isClosing else { return }
      // One without a reader may be going away on another thread at this moment.
      guard let owner = block.header.pointee.retainedOwner?.takeUnretainedValue() else {
        return block.close()
      }
      loop.queueMicrotask { owner.stopListening() }
    }
  }

  /// Resets what has not ended in time.
  private func cutOff() {
    loop.forEachHandle { block in
      guard block.header.pointee.role == .accepted, !block.isClosing else { return }
      report.count += 1
      let isTCP = uv_handle_get_type(block.handle) == UV_TCP
      if isTCP, let peer = try? peer(of: block) { report.peers.append(peer) }
      if let owner = block.header.pointee.retainedOwner?.takeUnretainedValue() {
        owner.cutOff()
      } else if !isTCP || !block.closeReset() {
        block.close()
      }
    }
  }

  private func peer(of block: HandleBlock) throws(UVError) -> SocketAddress {
    let tcp = block.raw.assumingMemoryBound(to: uv_tcp_t.self)
    return try address("tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }
  }

  /// Called when the last connection has closed.
  func finish() {
    for deadline in deadlines { deadline.cancel() }
    deadlines = []
    let report = self.report
    for done in waiters.takeAll() { loop.queueMicrotask { done(.success(report)) } }
  }
}
