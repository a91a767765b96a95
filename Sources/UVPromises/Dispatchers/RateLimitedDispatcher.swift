import Dispatch
import Synchronization
import UV

/// Starts at most so many handlers in a period of time: a supply of tokens that fills up steadily, so that a
/// burst after a pause may come close to twice the limit within one period, as in a leaky bucket.
///
/// PromiseKit 7's `RateLimitedDispatcher`.
public final class RateLimitedDispatcher: Dispatcher {
  private let limiter: RateLimiter

  /// Creates a dispatcher; a number out of range stops the program with a message.
  ///
  /// - Parameters:
  ///   - maxDispatches: How many handlers may start in a period; at least one.
  ///   - period: How long a period is, in seconds; more than none.
  ///   - underlying: Where the handlers run.
  public init(maxDispatches: Int, perInterval period: Double, on underlying: any Dispatcher = .global()) {
    limiter = RateLimiter(maxDispatches, period, underlying, isStrict: false)
  }

  /// Runs `body` once the rate allows it.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { limiter.dispatch(body) }
}

/// Starts at most so many handlers in any period of time, however it is laid: the times of the last starts
/// are kept.
///
/// PromiseKit 7's `StrictRateLimitedDispatcher`.
public final class StrictRateLimitedDispatcher: Dispatcher {
  private let limiter: RateLimiter

  /// Creates a dispatcher; a number out of range stops the program with a message.
  ///
  /// - Parameters:
  ///   - maxDispatches: How many handlers may start in any period; at least one.
  ///   - period: How long a period is, in seconds; more than none.
  ///   - underlying: Where the handlers run.
  public init(maxDispatches: Int, perInterval period: Double, on underlying: any Dispatcher = .global()) {
    limiter = RateLimiter(maxDispatches, period, underlying, isStrict: true)
  }

  /// Runs `body` once the rate allows it.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { limiter.dispatch(body) }
}

/// What the two have in common: handlers wait in order, and a timer of Dispatch's wakes them.
private final class RateLimiter: Sendable {
  private typealias Body = @Sendable () -> Void

  private struct State {
    /// When the handlers of the last period were started; or, if not strict, when the tokens that they took
    /// will be there again.
    var starts: [ContinuousClock.Instant] = []
    var waiting = Queue<Body>()
    var isAwake = false
  }

  private let limit: Int
  private let period: Duration
  private let underlying: any Dispatcher
  private let isStrict: Bool
  private let state = Mutex(State())

  init(_ limit: Int, _ period: Double, _ underlying: any Dispatcher, isStrict: Bool) {
    require(limit > 0 && period > 0, "a rate must be at least 1 in a period longer than none")
    self.limit = limit
    self.period = Duration(clampedSeconds: period)
    self.underlying = underlying
    self.isStrict = isStrict
  }

  func dispatch(_ body: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.waiting.append(body)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if isFirst { serve() }
  }

  /// Starts what may start, and comes back when more may.
  private func serve() {
    let now = ContinuousClock().now
    let (ready, pause) = state.withLock { state -> ([Body], Duration?) in
      state.starts.removeAll { $0 <= now }
      var ready: [Body] = []
      while state.starts.count < limit, let body = state.waiting.popFirst() {
        ready.append(body)
        state.starts.append(nextFree(after: now, state.starts.last))
      }
      state.isAwake = !state.waiting.isEmpty
      return (ready, state.isAwake ? now.duration(to: state.starts[0]) : nil)
    }
    for body in ready { underlying.dispatch(body) }
    if let pause {
      let nanoseconds = Int(pause / .nanoseconds(1))
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in serve() }
    }
  }

  /// When a start of now is over and done with: a period later, or, not so strictly, when its token has been
  /// replaced.
  private func nextFree(after now: ContinuousClock.Instant, _ last: ContinuousClock.Instant?)
    -> ContinuousClock.Instant
  {
    if isStrict { return now + period }
    return max(last ?? now, now) + period / limit
  }
}
