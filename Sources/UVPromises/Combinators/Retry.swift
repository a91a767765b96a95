import UV

/// Tries until it works, so many times.
///
/// - Parameters:
///   - attempts: How many times at most; less than one counts as one.
///   - delay: How long to wait between attempts.
///   - condition: Whether to try again, from the number of attempts left and the last error; by default
///     always. It is not asked after a cancellation, which is final.
///   - work: Makes an attempt. If it throws, the attempt has failed with the error.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
/// - Returns: A promise of the first success, or of the last failure. Cancelling it cancels the attempt under
///   way, or the wait for the next.
///
/// google/promises' `retry`.
public func retry<U: Chainable>(
  attempts: Int = 3, delay: Backoff = .exponential(from: .milliseconds(100)).jittered(),
  condition: @escaping (_ attemptsLeft: Int, any Error) -> Bool = { _, _ in true },
  file: StaticString = #fileID, line: UInt = #line, _ work: @escaping () throws -> U
) -> Promise<U.T> {
  tryAgain(file, line, work) { error, failures in
    failures < attempts && condition(attempts - failures, error)
      ? delay.duration(afterFailures: failures) : nil
  }
}

/// Tries until it works, as often as a policy allows; see `retry` of `Request`, which does the same for one
/// request.
///
/// - Parameters:
///   - policy: How often, after which pauses, and after which errors.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
///   - work: Makes an attempt. If it throws, the attempt has failed with the error.
/// - Returns: A promise of the first success, or of the last failure. Cancelling it cancels the attempt under
///   way, or the wait for the next.
///
/// google/promises' `retry`.
public func retry<U: Chainable>(
  _ policy: RetryPolicy, file: StaticString = #fileID, line: UInt = #line, _ work: @escaping () throws -> U
) -> Promise<U.T> {
  tryAgain(file, line, work) { policy.pause(after: $0, failures: $1) }
}

/// Tries until it works, or until `pause` says that there is no further attempt. It isn't asked after a
/// cancellation.
private func tryAgain<U: Chainable>(
  _ file: StaticString, _ line: UInt, _ work: @escaping () throws -> U,
  _ pause: @escaping (_ error: any Error, _ failures: Int) -> Duration?
) -> Promise<U.T> {
  func attempt(_ number: Int) -> Promise<U.T> {
    firstly(file: file, line: line, execute: work).recover(
      on: .inline, policy: .allErrors, file: file, line: line
    ) { error throws -> Promise<U.T> in
      guard !error.isCancelled, let pause = pause(error, number) else { throw error }
      return after(pause, file: file, line: line)
        .then(on: .inline, file: file, line: line) { attempt(number + 1) }
    }
  }
  return attempt(1)
}

/// Tries until it works, so many times, with the same wait between attempts.
///
/// PromiseKit's guide calls this pattern `attempt`.
public func attempt<U: Chainable>(
  maximumRetryCount: Int = 3, delayBeforeRetry: Duration = .seconds(2),
  file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () throws -> U
) -> Promise<U.T> {
  retry(attempts: maximumRetryCount, delay: .constant(delayBeforeRetry), file: file, line: line, body)
}
