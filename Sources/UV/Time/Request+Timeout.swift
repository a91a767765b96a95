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

extension EventLoop {
  /// Runs `body`, and cancels it if it takes longer than `limit`. On the loop's thread only.
  ///
  /// ```swift
  /// let reply = try await loop.withDeadline(.seconds(5)) {
  ///   try await connection.write(request).value
  ///   return try await connection.next()
  /// }
  /// ```
  ///
  /// The body runs in a task of its own, which this waits for. Deadlines nest: the earliest one counts. A
  /// body that has a value in spite of its cancellation is in time. So is one that reads an `AsyncStream` or the
  /// `values` of a publisher, which end without an error when their task is cancelled: call
  /// `try Task.checkCancellation()` behind them, and this throws `timedOut`.
  ///
  /// - Parameters:
  ///   - limit: How long the body may take; with zero or less it is cancelled in the next turn of the loop.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: `timedOut` if the body ended because of the deadline; otherwise what the body threw.
  public nonisolated(nonsending) func withDeadline<T>(
    _ limit: Duration, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) async throws -> T {
    try await cancelling(
      throwing: UVError(.timedOut, operation: "withDeadline", subject: limit.description),
      at: file, line,
      when: { isOver in
        sleep(for: limit) { result in
          guard case .success = result else { return }
          self.microtasks.state.pointee.counts.timeouts += 1
          isOver()
        }
      }, body)
  }

  /// Runs `body` in a task of its own, which is cancelled when something happens.
  ///
  /// - Parameters:
  ///   - reason: The error to throw if the body has ended because of that.
  ///   - file: Where the body is from.
  ///   - line: The line there.
  ///   - begin: Begins to wait for the event, and calls the function that it is given when that happens.
  ///   - body: What to do; it need not be `Sendable`.
  package nonisolated(nonsending) func cancelling<T>(
    throwing reason: UVError, at file: StaticString, _ line: UInt,
    when begin: (@escaping () -> Void) -> PendingRequest,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) async throws -> T {
    let group = LoopTaskGroup(self)
    var hasHappened = false
    let event = begin {
      // A caller that was cancelled before is why the body ends. One that is cancelled later changes nothing.
      hasHappened = !group.wasCancelled
      group.cancelAll()
    }
    defer { event.cancel() }
    do { return try await group.run(SourcePlace(file: file, line: line)) { _ in try await body() } } catch {
      if hasHappened, error.isCancellation { throw reason }
      throw error
    }
  }
}
