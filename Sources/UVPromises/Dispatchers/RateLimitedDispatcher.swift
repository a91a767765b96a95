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

/// The part that the two share: handlers wait in order, and a timer of Dispatch's wakes them.
private final class RateLimiter: Sendable {
  private typealias Body = @Sendable () -> Void

  private struct State {
    /// When the places are free again that handlers have taken, in order: a period after a strict handler has
    /// started; or when the token that a handler took has been replaced.
    var ends: [ContinuousClock.Instant] = []
    /// How many strict handlers have been handed on and have not started.
    var coming = 0
    var waiting = Queue<Body>()
    /// Whether the timer runs.
    var isTimed = false
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

  func dispatch(_ body: @escaping @Sendable () -> Void) { serve { $0.waiting.append(body) } }

  /// Makes a change, hands on what may start then, and comes back when more may.
  private func serve(after change: (inout State) -> Void) {
    let (ready, pause) = state.withLock { state -> ([Body], Duration?) in
      change(&state)
      let now = ContinuousClock.now
      state.ends.removeAll { $0 <= now }
      var ready: [Body] = []
      while state.ends.count + state.coming < limit, let body = state.waiting.popFirst() {
        ready.append(body)
        if isStrict {
          state.coming += 1
        } else {
          state.ends.append(max(state.ends.last ?? now, now) + period / limit)
        }
      }
      guard !state.isTimed, !state.waiting.isEmpty, let end = state.ends.first else { return (ready, nil) }
      state.isTimed = true
      return (ready, now.duration(to: end))
    }
    for body in ready {
      if isStrict { underlying.dispatch { self.start(body) } } else { underlying.dispatch(body) }
    }
    if let pause {
      let nanoseconds = Int(pause / .nanoseconds(1))
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
        self.serve { $0.isTimed = false }
      }
    }
  }

  /// Runs a strict handler. Its period begins now: it may have been on its way for long.
  private func start(_ body: Body) {
    serve {
      $0.coming -= 1
      $0.ends.append(.now + period)
    }
    body()
  }
}
