import UV

/// A future that can be tried again and cancelled.
///
/// Its task starts in the loop's next microtask, so that even a failure at once finds the chain attached. An
/// operation on it returns another one; ``retry(_:delay:)`` in the chain has the task run again, and what
/// is before it in the chain sees each attempt. ``cancel()`` anywhere in the chain ends all of it.
///
/// ```swift
/// StreamPromise<Bytes, UVError> { state, completion in fetch(completion) }
///   .retry(3, delay: .milliseconds(100))
///   .on { show($0) }
/// ```
///
/// RxStream's `Promise`.
public final class StreamPromise<Output, Failure: Error>: Future<Output, Failure>, RetriedPromise {
  typealias Attempt = (@escaping (Settlement<Output, Failure>) -> Void) -> Void

  /// Makes another result, through everything that is before this in the chain.
  private var runAgain: Attempt?
  private(set) var attempts: PromiseAttempts?
  private var isReused = false
  private(set) weak var above: (any RetriedPromise)?
  var verdict: RetryVerdict?

  /// Creates a promise and starts its task in the current loop's next microtask; outside a loop this stops
  /// the program with a message.
  ///
  /// - Parameter task: Gets the promise's state, to stop when that is no longer active, and what to call with
  ///   the result. It runs again for each retry.
  public convenience init(
    _ task: @escaping (Observable<StreamState<Failure>, Never>, @escaping Promise) -> Void
  ) {
    self.init(attempt: { task($0, $1) })
  }

  /// The completion may be called by any thread in any case. Whether the compiler lets one be captured there is
  /// up to the initializers.
  init(
    attempt task:
      @escaping (
        Observable<StreamState<Failure>, Never>, @escaping @Sendable (Result<Output, Failure>) -> Void
      ) -> Void
  ) {
    super.init()
    let loop = EventLoop.needed(for: "StreamPromise")
    let work = PromiseWork(task)
    runAgain = { work.run($0) }
    attempts = work
    loop.queueMicrotask { [self] in
      work.run { [self] in settle($0) }
    }
  }

  private override init() { super.init() }

  deinit {
    // With it goes what is before this in the chain.
    var last = runAgain.take()
    if last != nil { Trampoline.nest { last = nil } }
  }

  /// A promise of what `step` makes of the result, of this attempt and of others.
  func next<T>(
    _ step: @escaping (Settlement<Output, Failure>, @escaping (Settlement<T, Failure>) -> Void) -> Void
  ) -> StreamPromise<T, Failure> {
    let child = StreamPromise<T, Failure>()
    let again = attempt
    // Up the chain and down again without calls that nest, however long it is.
    child.runAgain = { done in
      let way = WayDown<Output, Failure> { step($0, done) }
      Trampoline.nest { again { way.take($0) } }
    }
    child.attempts = attempts
    child.above = self
    return derive(into: child) { settlement, child in step(settlement) { child.settle($0) } }
  }

  /// A further attempt, or the value that there is where that is reused.
  private var attempt: Attempt {
    { [self] done in
      if isReused, let outcome, case .value = outcome { return done(outcome) }
      runAgain?(done)
    }
  }

  // MARK: Trying again

  /// Runs the task again when it fails, up to `limit` times, and then passes the error on.
  ///
  /// - Parameters:
  ///   - limit: How often at most, 0 or more; less stops the program with a message.
  ///   - delay: How long to wait before each, to the millisecond above; nil for the next microtask.
  @discardableResult
  public func retry(_ limit: Int, delay: Duration? = nil) -> StreamPromise {
    require(limit >= 0, "retry: a negative limit")
    let loop = EventLoop.needed(for: "retry(_:delay:)")
    return retrying { attempt, _, retry in
      guard attempt <= limit, let delay else {
        retry(attempt <= limit)
        return PendingRequest()
      }
      return loop.sleep(for: delay) { result in
        if case .success = result { retry(true) } else { retry(false) }
      }
    }
  }

  /// Runs the task again when it fails and `handler` returns true.
  ///
  /// - Parameter handler: Gets the number of the retry, from 1, and the error.
  @discardableResult
  public func retryOn(_ handler: @escaping (_ attempt: Int, _ error: Failure) -> Bool) -> StreamPromise {
    retrying { attempt, error, retry in
      retry(handler(attempt, error))
      return PendingRequest()
    }
  }

  /// Runs the task again when it fails and `handler` calls its last argument with true, at once or later.
  ///
  /// - Parameter handler: Gets the number of the retry, from 1, the error, and what to call with the
  ///   decision on any thread, of which the first call counts. The loop keeps running until it is called or
  ///   released.
  @discardableResult
  public func retryOn(
    _ handler:
      @escaping (_ attempt: Int, _ error: Failure, _ retry: @escaping @Sendable (Bool) -> Void) -> Void
  ) -> StreamPromise {
    let loop = EventLoop.needed(for: "retryOn(_:)")
    return retrying { attempt, error, retry in
      let ticket = RemoteTicket(keeping: loop)
      // Sound: called on the loop.
      let decide = UnsafeTransfer(retry)
      handler(attempt, error) { isToRetry in
        guard ticket.claim() else { return }
        ticket.completeNow { _ in decide.value(isToRetry) }
      }
      return PendingRequest("retry") { [weak ticket] in ticket?.giveUp() }
    }
  }

  /// As ``retryOn(_:)``, with a handler that returns what to cancel if the chain is cancelled before the
  /// decision.
  private func retrying(
    _ handler:
      @escaping (_ attempt: Int, _ error: Failure, _ retry: @escaping (Bool) -> Void) -> PendingRequest
  ) -> StreamPromise {
    let (again, attempts) = (attempt, attempts)
    let loop = EventLoop.needed(for: "retryOn(_:)")
    var count = 0
    func consider(
      _ settlement: Settlement<Output, Failure>, _ done: @escaping (Settlement<Output, Failure>) -> Void
    ) {
      guard case .failure(let error) = settlement, let attempts else { return done(settlement) }
      count += 1
      var pause = PendingRequest()
      let verdict = RetryVerdict()
      let number = attempts.begin { [weak self] in
        pause.cancel()
        self?.note(nil)
        verdict.stand(isCancelled: true) { done(.cancelled) }
      }
      guard let number else { return done(.cancelled) }
      note(verdict)
      pause = handler(count, error) { [self] isToRetry in
        guard attempts.end(number) else { return }
        guard isToRetry else {
          note(nil)
          return verdict.stand { done(settlement) }
        }
        verdict.tryAgain()
        // From the ground, so that a task that fails at once does not nest its retries.
        loop.queueMicrotask { [self] in
          note(nil)
          again { consider($0, done) }
        }
      }
    }
    return next { consider($0, $1) }
  }

  /// Sets whether a retry further down takes the value that there is already, if there is one, and does not
  /// run the task again.
  @discardableResult
  public func reuse(_ isReused: Bool = true) -> StreamPromise {
    self.isReused = isReused
    return self
  }

  /// Cancels the task, and ends the whole chain as cancelled. There are no retries after that.
  public func cancel() { attempts?.cancel() }

  /// A future of the same result, that cannot be tried again; retries before it still happen.
  public func future() -> Future<Output, Failure> { derive { $1.settle($0) } }

  // MARK: Operators that stay promises

  /// Calls `handler` with the value.
  @discardableResult
  public func on(_ handler: @escaping (Output) -> Void) -> StreamPromise {
    next { settlement, done in
      if case .value(let value) = settlement { handler(value) }
      done(settlement)
    }
  }

  /// Calls `handler` with the error of each attempt that reaches it.
  @discardableResult
  public func onError(_ handler: @escaping (Failure) -> Void) -> StreamPromise {
    next { settlement, done in
      if case .failure(let error) = settlement { Propagation.run { Propagation.atEnd { handler(error) } } }
      done(settlement)
    }
  }

  /// Calls `handler` with how the promise ends, after everything further down has been notified. An attempt after
  /// which a retry further down runs the task again isn't the end, unless the value of that attempt had been
  /// handed to another thread before it failed.
  @discardableResult
  public func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> StreamPromise {
    weak var child: StreamPromise?
    let promise: StreamPromise = next { settlement, done in
      func end(isCancelled: Bool) {
        if isCancelled { return handler(.cancelled) }
        if let verdict = child?.verdict { return verdict.whenFinal(end) }
        handler(settlement.termination)
      }
      Propagation.run {
        Propagation.atEnd { end(isCancelled: false) }
        done(settlement)
      }
    }
    child = promise
    return promise
  }

  /// Transforms the value; with nil there is none.
  @discardableResult
  public func map<T>(_ transform: @escaping (Output) -> T?) -> StreamPromise<T, Failure> {
    noteRequests(T.self)
    return next { settlement, done in
      guard case .value(let value) = settlement else { return done(settlement.withoutValue()!) }
      done(transform(value).map { .value($0) } ?? .completed)
    }
  }

  /// Makes another value or an error of the value.
  @discardableResult
  public func resultMap<T>(
    _ transform: @escaping (Output) -> Result<T, Failure>
  ) -> StreamPromise<T, Failure> {
    next { settlement, done in
      guard case .value(let value) = settlement else { return done(settlement.withoutValue()!) }
      switch transform(value) {
      case .success(let new): done(.value(new))
      case .failure(let error): done(.failure(error))
      }
    }
  }
}

extension StreamPromise where Output: Sendable {
  /// Creates a promise and starts its task in the current loop's next microtask; outside a loop this stops
  /// the program with a message. The completion can be captured by work on another thread.
  ///
  /// - Parameter task: Gets the promise's state, to stop when that is no longer active, and what to call with
  ///   the result. It runs again for each retry.
  public convenience init(
    _ task:
      @escaping (
        Observable<StreamState<Failure>, Never>, @escaping @Sendable (Result<Output, Failure>) -> Void
      ) -> Void
  ) {
    self.init(attempt: task)
  }
}
