import UV

/// A promise whose next operation is done elsewhere; see ``Dispatched``. Its result is a promise again,
/// which can be tried again and cancelled.
///
/// RxStream's `dispatch(_:)`.
public struct DispatchedPromise<Output: Sendable, Failure: Error> {
  let promise: StreamPromise<Output, Failure>
  let dispatch: Dispatch
  let loop: EventLoop

  /// A promise of the value, transformed where the dispatch says; with no value if `transform` returns nil.
  @discardableResult
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (Output) -> T?
  ) -> StreamPromise<T, Failure> {
    elsewhere { transform($0).map { .success($0) } }
  }

  /// A promise of what `transform` makes of the value where the dispatch says: another, or an error.
  @discardableResult
  public func resultMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) -> Result<T, Failure>
  ) -> StreamPromise<T, Failure> {
    elsewhere { transform($0) }
  }

  /// Calls `handler` with the value where the dispatch says; what follows waits for it.
  @discardableResult
  public func on(_ handler: @escaping @Sendable (Output) -> Void) -> StreamPromise<Output, Failure> {
    elsewhere {
      handler($0)
      return .success($0)
    }
  }

  private func elsewhere<T: Sendable>(
    _ work: @escaping @Sendable (Output) -> Result<T, Failure>?
  ) -> StreamPromise<T, Failure> {
    let (dispatch, loop, attempts) = (dispatch, loop, promise.attempts)
    return promise.next { settlement, done in
      guard case .value(let value) = settlement else { return done(settlement.withoutValue()!) }
      // The chain may be cancelled meanwhile.
      guard let attempts, let number = attempts.begin({ done(.cancelled) }) else { return done(.cancelled) }
      dispatch.run(
        work, of: value,
        then: { result in
          guard attempts.end(number) else { return }
          switch result {
          case .success(let new)?: done(.value(new))
          case .failure(let error)?: done(.failure(error))
          case nil: done(.completed)
          }
        }, on: loop)
    }
  }
}

extension StreamPromise where Output: Sendable {
  /// Has the next operation done where `dispatch` says, and what follows on the current loop again. A retry
  /// further down has it done again.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  public func dispatch(_ dispatch: Dispatch) -> DispatchedPromise<Output, Failure> {
    DispatchedPromise(promise: self, dispatch: dispatch, loop: .needed(for: "dispatch(_:)"))
  }
}
