extension Request {
  /// The same request with a time limit. When the limit is reached, the work is cancelled and the request
  /// fails with `timedOut`.
  ///
  /// - Parameter limit: How long to wait, rounded up to a millisecond. Zero or less means until the next turn
  ///   of the loop.
  ///
  /// Complexity: O(1). A limit that isn't reached costs an object and a timer, which is dropped when the work
  /// ends.
  ///
  /// The corresponding libuv functions are `uv_timer_start` and `uv_timer_stop`.
  @inlinable
  public func timeout(after limit: Duration) -> Request<Success> {
    Request(loop, name) { [self] done in
      let limited = LimitedRequest(loop, limit, done)
      return limited.limit(start { limited.end($0) })
    }
  }
}

/// Work under way, and the timer that limits it. They are one object because most work ends in time.
@usableFromInline
class LimitedWork: Cancelling {
  // Sound: used while the timer runs, which the loop ends before it goes. To count a reference would cost as
  // much as the rest of this.
  private let loop: Unmanaged<EventLoop>
  private let limit: Duration
  @exclusivity(unchecked) private var work = PendingRequest()
  @exclusivity(unchecked) private var timer: (slot: UInt, generation: UInt) = (0, 0)
  /// Whether the work has ended or the limit was reached. Whichever comes first is the end of the request.
  @exclusivity(unchecked) private var isOver = false

  @usableFromInline
  init(_ loop: borrowing EventLoop, _ limit: Duration) {
    self.loop = .passUnretained(loop)
    self.limit = limit
  }

  /// Starts the timer for work that has begun.
  @usableFromInline
  final func limit(_ work: consuming PendingRequest) -> PendingRequest {
    // A request of somebody's own may end as it starts.
    if isOver { return PendingRequest() }
    self.work = consume work
    timer = loop._withUnsafeGuaranteedRef { $0.startLimit(limit) { [self] in limitDidEnd($0) } }
    return PendingRequest(self)
  }

  /// Notes that the work has ended; false if the limit was reached before.
  @usableFromInline
  final func workDidEnd() -> Bool {
    if isOver { return false }
    isOver = true
    dropTimer()
    // It may hold on to a connection, and somebody to this object.
    work = PendingRequest()
    return true
  }

  private func limitDidEnd(_ result: Result<Void, UVError>) {
    timer = (0, 0)
    guard case .success = result, !isOver else { return }
    isOver = true
    loop._withUnsafeGuaranteedRef { $0.microtasks.state.pointee.counts.timeouts += 1 }
    work.cancel()
    work = PendingRequest()
    fail(UVError(.timedOut, operation: "timeout", subject: limit.description))
  }

  /// Ends the request with an error.
  @usableFromInline
  func fail(_ error: UVError) {}

  private func dropTimer() {
    // There is none if the loop was closed.
    if timer.slot == 0 { return }
    loop._withUnsafeGuaranteedRef { $0.timers.drop(slot: timer.slot, generation: timer.generation) }
    timer = (0, 0)
  }

  final func cancel(slot: UInt, generation: UInt) {
    guard !isOver else { return }
    dropTimer()
    work.cancel()
  }

  final func awaited(slot: UInt, generation: UInt) -> Awaited? { work.awaited }
}

/// The same with the completion of a request.
@usableFromInline
final class LimitedRequest<Success>: LimitedWork {
  @exclusivity(unchecked) @usableFromInline var done: Completion<Success>?

  @inlinable
  init(_ loop: borrowing EventLoop, _ limit: Duration, _ done: @escaping Completion<Success>) {
    self.done = done
    super.init(loop, limit)
  }

  @inlinable
  func end(_ result: Result<Success, UVError>) {
    if workDidEnd() { done.take()?(result) }
  }

  @usableFromInline
  override func fail(_ error: UVError) { done.take()?(.failure(error)) }
}
