/// When to try again what has failed: how often, after which pauses, and after which errors.
///
/// It is the same for every style: ``Request/retry(_:)`` for one request, ``EventLoop/retry(_:_:)`` for
/// asynchronous code, and the function `retry` of `UVPromises`.
public struct RetryPolicy: Sendable {
  /// How many attempts there are at most, the first one included. Less than one counts as one.
  public var attempts: Int
  /// How long to wait after each failure.
  public var backoff: Backoff
  private let condition: @Sendable (any Error) -> Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: How many attempts there are at most, the first one included. Less than one counts as one.
  ///   - backoff: How long to wait after each failure; by default 100 ms and then twice as long each time, up
  ///     to a minute, each shortened by a random part of up to a half.
  ///   - condition: Whether to try again after an error; by default after each. It isn't asked after a
  ///     cancellation, which is final, nor after the loop's end.
  public init(
    attempts: Int = 3, backoff: Backoff = .exponential(from: .milliseconds(100)).jittered(),
    when condition: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) {
    self.attempts = attempts
    self.backoff = backoff
    self.condition = condition
  }

  /// How long to wait for the next attempt; nil if there is none.
  ///
  /// - Parameters:
  ///   - error: What the last attempt failed with.
  ///   - failures: How many attempts have failed, from 1.
  public func pause(after error: any Error, failures: Int) -> Duration? {
    guard failures < attempts, !error.isCancellation, (error as? UVError)?.code != .loopClosed,
      condition(error)
    else { return nil }
    return backoff.duration(afterFailures: failures)
  }
}
