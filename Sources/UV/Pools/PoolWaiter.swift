/// Somebody who has asked a pool for a resource, until they have one.
final class PoolWaiter<Resource: PoolResource>: Cancelling, LineWaiter {
  private let core: PoolCore<Resource>
  let start: LoopClock.Instant
  /// Nil once it is known how the wait ends.
  private var done: Completion<PoolLease<Resource>>?
  private var timer = PendingRequest()
  private var isCancelled = false

  init(_ core: PoolCore<Resource>, _ done: @escaping Completion<PoolLease<Resource>>) {
    self.core = core
    self.done = done
    start = core.loop.now
  }

  var isWaiting: Bool { done != nil }

  /// Waits no longer than a limit. The timer also reports the loop's end.
  func limit(_ limit: Duration) {
    timer = core.loop.sleep(for: limit) { [self] result in
      guard isWaiting else { return }
      switch result {
      case .success: core.waiterTimedOut(self)
      case .failure: cancel(slot: 0, generation: 0)
      }
    }
  }

  /// Hands a resource over, not on the caller's stack.
  func grant(_ entry: PoolEntry<Resource>) {
    guard let done = end() else { return }
    core.loop.queueMicrotask { [self] in
      let lease = PoolLease(core, entry)
      guard isCancelled else { return done(.success(lease)) }
      lease.giveBack()
      done(.failure(Self.cancellation))
    }
  }

  func fail(_ error: UVError) {
    guard let done = end() else { return }
    core.loop.queueMicrotask { done(.failure(error)) }
  }

  private func end() -> Completion<PoolLease<Resource>>? {
    let timer = timer
    self.timer = PendingRequest()
    defer { timer.drop() }
    return done.take()
  }

  static var cancellation: UVError { UVError(.cancelled, operation: "lease") }

  func cancel(slot: UInt, generation: UInt) {
    // A resource that is on its way goes back.
    isCancelled = true
    guard isWaiting else { return }
    fail(Self.cancellation)
    core.waiterLeft()
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isWaiting ? Awaited(operation: "lease", subject: core.state) : nil
  }
}
