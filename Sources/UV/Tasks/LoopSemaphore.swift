/// A number of permits, for the tasks and callbacks of one loop: who finds none left waits for one.
///
/// A loop runs one function at a time, so a semaphore isn't needed to protect memory. It limits how many
/// functions are in the middle of something that they await: downloads, queries, open files.
///
/// ```swift
/// let downloads = LoopSemaphore(loop, value: 4)
/// for url in urls {
///   loop.spawn {
///     try await downloads.withPermit { try await download(url) }
///   }
/// }
/// ```
///
/// Permits are given in the order in which they were asked for. A wait keeps its loop running. Use a
/// semaphore on its loop's thread only; from another thread go through ``LoopExecutor/execute(_:)``.
public final class LoopSemaphore: SignalledObject, DirectWork {
  /// The loop that the semaphore belongs to.
  public let loop: EventLoop
  /// How many permits are left. Nobody waits unless it is 0.
  public private(set) var value: Int
  var line = WaitingLine<SignalWait>()

  /// Makes a semaphore.
  ///
  /// - Parameters:
  ///   - loop: The loop on whose thread the semaphore is used.
  ///   - value: How many permits there are, 0 or more. With 0, the first ``signal()`` brings the first permit.
  public init(_ loop: EventLoop, value: Int) {
    require(value >= 0, "LoopSemaphore: a value of 0 or more")
    (self.loop, self.value) = (loop, value)
  }

  /// Takes a permit, as soon as there is one. Call ``signal()`` when you are done; ``withPermit(_:)`` does
  /// that in each case. Complexity: O(1).
  ///
  /// - Returns: A request that ends when the permit is yours. It fails with `cancelled`, without a permit, if
  ///   it is cancelled or the loop ends first, and with `loopClosed` if the loop has ended.
  public func wait() -> Request<Void> { Request(self, operation: "wait") }

  /// Takes a permit; see ``wait()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  @discardableResult
  public func wait(_ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("wait()")
    let wait = SignalWait(loop, at: self, "wait", done)
    let pending = wait.start()
    if value > 0, let first = line.popFirst() {
      value -= 1
      first.signalled()
    }
    return pending
  }

  /// Gives a permit: to the one who has waited longest, or else to ``value``. Complexity: O(1).
  public func signal() {
    loop.requireOnLoop("signal()")
    if let first = line.popFirst() { first.signalled() } else { value += 1 }
  }

  /// Runs `body` with a permit, and gives it back in each case: if `body` returns, throws or is cancelled.
  ///
  /// - Parameter body: What to do with the permit.
  /// - Returns: What `body` returned.
  /// - Throws: The errors of ``wait()``, and what `body` threw.
  public nonisolated(nonsending) func withPermit<T>(
    _ body: nonisolated(nonsending) () async throws -> T
  ) async throws -> T {
    try await wait().value
    defer { signal() }
    return try await body()
  }

  // MARK: The request

  @usableFromInline
  package func doAtOnce() -> Result<Void, UVError>? {
    if value == 0 || loop.isClosed { return nil }
    value -= 1
    return .success(())
  }

  @usableFromInline
  package func start(_ done: @escaping Completion<Void>) -> PendingRequest { wait(done) }
}
