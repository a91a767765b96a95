import Synchronization
import UV

/// Runs at most so many handlers at the same time, in the order in which they became due.
///
/// PromiseKit 7's `ConcurrencyLimitedDispatcher`.
public final class ConcurrencyLimitedDispatcher: Dispatcher {
  private struct State {
    var running = 0
    var waiting = Queue<@Sendable () -> Void>()
  }

  private let limit: Int
  private let underlying: any Dispatcher
  private let state = Mutex(State())

  /// Creates a dispatcher; a number out of range stops the program with a message.
  ///
  /// - Parameters:
  ///   - limit: How many handlers may run at the same time; at least one.
  ///   - underlying: Where they run.
  public init(limit: Int, on underlying: any Dispatcher = .global()) {
    require(limit > 0, "a concurrency limit must be at least 1")
    self.limit = limit
    self.underlying = underlying
  }

  /// Runs `body` once there is room for it.
  public func dispatch(_ body: @escaping @Sendable () -> Void) {
    let mayStart = state.withLock { state in
      if state.running == limit {
        state.waiting.append(body)
        return false
      }
      state.running += 1
      return true
    }
    if mayStart { start(body) }
  }

  private func start(_ body: @escaping @Sendable () -> Void) {
    underlying.dispatch { [self] in
      body()
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        let next = state.waiting.popFirst()
        if next == nil { state.running -= 1 }
        return next
      }
      if let next { start(next) }
    }
  }
}
