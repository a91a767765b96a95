/// A place where tasks and callbacks of one loop wait until another says that something may have changed.
///
/// A loop runs one function at a time, so a condition needs no lock. Look before each wait, since another may
/// have been quicker:
///
/// ```swift
/// let isFilled = LoopCondition(loop)
/// // The one who waits:
/// while cache.isEmpty { try await isFilled.wait().value }
/// // The one who fills the cache:
/// cache.append(page)
/// isFilled.signal()
/// ```
///
/// A wait keeps its loop running. Use a condition on its loop's thread only; from another thread go through
/// ``LoopExecutor/execute(_:)``. To hand values over, a ``CustomSource`` is simpler.
public final class LoopCondition: SignalledObject {
  /// The loop that the condition belongs to.
  public let loop: EventLoop
  var line = WaitingLine<SignalWait>()

  /// Makes a condition, at which nobody waits.
  ///
  /// - Parameter loop: The loop on whose thread the condition is used.
  public init(_ loop: EventLoop) { self.loop = loop }

  /// Waits for a signal that comes after the request was started. Complexity: O(1).
  ///
  /// - Returns: A request that ends when the condition is signalled. It fails with `cancelled` if it is
  ///   cancelled or the loop ends first, and with `loopClosed` if the loop has ended. A signal for a
  ///   request that is cancelled meanwhile goes to the next.
  public func wait() -> Request<Void> { Request(of: loop) { [self] in wait($0) } }

  /// Waits for a signal; see ``wait()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  @discardableResult
  public func wait(_ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("wait()")
    return wait("wait", done)
  }

  func wait(_ operation: String, _ done: @escaping Completion<Void>) -> PendingRequest {
    SignalWait(loop, at: self, operation, done).start()
  }

  /// Wakes the one who has waited longest. It does nothing if nobody waits. Complexity: O(1).
  public func signal() {
    loop.requireOnLoop("signal()")
    line.popFirst()?.signalled()
  }

  /// Wakes all who wait now, in the order in which they came. Complexity: O(n) for n who wait.
  public func broadcast() {
    loop.requireOnLoop("broadcast()")
    while let first = line.popFirst() { first.signalled() }
  }
}
