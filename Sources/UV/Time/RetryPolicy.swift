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

/// How long to wait before an attempt at what has failed.
public struct Backoff: Sendable {
  private let pause: @Sendable (Int) -> Duration

  /// Creates a rule of your own.
  ///
  /// - Parameter pause: How long to wait after so many failures, from 1 on.
  public init(_ pause: @escaping @Sendable (Int) -> Duration) { self.pause = pause }

  /// No wait but for the next turn of the loop.
  public static let none = Backoff { _ in .zero }

  /// Always the same wait.
  public static func constant(_ duration: Duration) -> Backoff { Backoff { _ in duration } }

  /// A wait that grows by a factor from one failure to the next, up to a limit.
  ///
  /// - Parameters:
  ///   - first: The wait after the first failure.
  ///   - factor: What each wait is multiplied by for the next, 1 or more.
  ///   - limit: The longest wait.
  public static func exponential(
    from first: Duration, by factor: Double = 2, upTo limit: Duration = .seconds(60)
  ) -> Backoff {
    Backoff { failures in
      var pause = first
      let factor = factor > 0 ? factor : 0
      for _ in 1..<max(failures, 1) {
        // Asked of the quotient, since no product may be larger than a duration can be.
        guard factor < limit / pause else { return limit }
        pause = pause * factor
      }
      return min(pause, limit)
    }
  }

  /// The same waits, each shortened by a random part of up to `fraction`, so that many that failed together
  /// do not come back together.
  ///
  /// - Parameter fraction: 0…1; what is outside is taken for the nearer of the two.
  public func jittered(_ fraction: Double = 0.5) -> Backoff {
    Backoff { [pause] failures in
      pause(failures) * (1 - Double.random(in: 0...1) * (fraction.isNaN ? 0 : min(max(fraction, 0), 1)))
    }
  }

  /// How long to wait after so many failures.
  public func duration(afterFailures failures: Int) -> Duration { pause(failures) }
}

extension EventLoop {
  /// Runs `body` until it succeeds, as often as a policy allows. On the loop's thread only.
  ///
  /// ```swift
  /// let greeting = try await loop.retry(RetryPolicy(attempts: 5)) {
  ///   let connection = try await loop.tcp.connect(host: "example.com", port: 7).value
  ///   defer { connection.close() }
  ///   return try await connection.readLine(limit: 1024).value
  /// }
  /// ```
  ///
  /// For a single request, use ``Request/retry(_:)``, which works in every style.
  ///
  /// - Parameters:
  ///   - policy: How often, after which pauses, and after which errors.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: What the body returned.
  /// - Throws: The error of the last attempt; `cancelled` if the task is cancelled during a pause.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public nonisolated(nonsending) func retry<T>(
    _ policy: RetryPolicy = RetryPolicy(), _ body: nonisolated(nonsending) () async throws -> T
  ) async throws -> T {
    var failures = 0
    while true {
      do { return try await body() } catch {
        failures += 1
        guard let pause = policy.pause(after: error, failures: failures) else { throw error }
        try await sleep(for: pause).value
      }
    }
  }
}

extension Request {
  /// The same request, which starts its work again if it fails.
  ///
  /// ```swift
  /// let connecting = loop.tcp.connect(host: "example.com", port: 80)
  ///   .timeout(after: .seconds(2))   // for each attempt
  ///   .retry(RetryPolicy(attempts: 5))
  ///   .timeout(after: .seconds(20))  // for all of them
  /// ```
  ///
  /// - Parameter policy: How often, after which pauses, and after which errors.
  /// - Returns: A request that succeeds with the first success, and fails with the last error. Cancelling it
  ///   cancels the attempt that is under way, or the pause. When its loop ends, there are no more attempts.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func retry(_ policy: RetryPolicy = RetryPolicy()) -> Request<Success> {
    Request(loop, name) { [self] done in
      let attempts = RequestAttempts(self, policy, done)
      attempts.begin()
      return PendingRequest(attempts)
    }
  }
}

/// The attempts at a request, one after the other.
private final class RequestAttempts<Success>: Cancelling {
  private let request: Request<Success>
  private let policy: RetryPolicy
  private var done: Completion<Success>?
  private var failures = 0
  private var isCancelled = false
  /// The attempt that is under way, or the pause.
  private var pending = PendingRequest()

  init(_ request: Request<Success>, _ policy: RetryPolicy, _ done: @escaping Completion<Success>) {
    self.request = request
    self.policy = policy
    self.done = done
  }

  func begin() {
    let number = failures
    let attempt = request.start { [self] in didEnd($0) }
    // A request of somebody's own may end as it starts.
    if done != nil, number == failures { pending = attempt }
  }

  private func didEnd(_ result: Result<Success, UVError>) {
    guard case .failure(let error) = result, !isCancelled, !request.loop.isClosed,
      let pause = policy.pause(after: error, failures: failures + 1)
    else { return finish(result) }
    failures += 1
    pending = request.loop.sleep(for: pause) { [self] result in
      // A pause ends early only if it is cancelled: by the caller, or by the loop's end.
      if case .success = result { begin() } else { finish(.failure(request.cancellation)) }
    }
  }

  private func finish(_ result: Result<Success, UVError>) {
    pending = PendingRequest()
    done.take()?(result)
  }

  func cancel(slot: UInt, generation: UInt) {
    isCancelled = true
    pending.cancel()
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? { pending.awaited }
}
