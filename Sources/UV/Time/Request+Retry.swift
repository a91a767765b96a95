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
