import UV

/// A future whose next operation is done elsewhere.
///
/// The operation's closure leaves the loop, so it must be `Sendable`, as must the values that go there and
/// back. The operations after it run on the future's loop again.
///
/// ```swift
/// download.dispatch(.async(on: .background)).map { parse($0) }.on { show($0) }
/// ```
///
/// RxStream's `dispatch(_:)`.
public struct Dispatched<Output: Sendable, Failure: Error> {
  let future: Future<Output, Failure>
  let dispatch: Dispatch
  let loop: EventLoop

  /// A future of the value, transformed where the dispatch says; with no value if `transform` returns nil.
  @discardableResult
  public func map<T: Sendable>(_ transform: @escaping @Sendable (Output) -> T?) -> Future<T, Failure> {
    elsewhere { transform($0).map { .success($0) } }
  }

  /// A future of what `transform` makes of the value where the dispatch says: another, or an error.
  @discardableResult
  public func resultMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) -> Result<T, Failure>
  ) -> Future<T, Failure> {
    elsewhere { transform($0) }
  }

  /// Calls `handler` with the value where the dispatch says; what follows waits for it.
  @discardableResult
  public func on(_ handler: @escaping @Sendable (Output) -> Void) -> Future<Output, Failure> {
    elsewhere {
      handler($0)
      return .success($0)
    }
  }

  private func elsewhere<T: Sendable>(
    _ work: @escaping @Sendable (Output) -> Result<T, Failure>?
  ) -> Future<T, Failure> {
    let (dispatch, loop) = (dispatch, loop)
    return future.asyncMap { value, completion in
      dispatch.run(work, of: value, then: completion, on: loop)
    }
  }
}

extension Dispatch {
  /// Has `work` done with a value as this says, and what it returns handed over on the loop, which runs until
  /// then.
  func run<T: Sendable, U: Sendable>(
    _ work: @escaping @Sendable (T) -> U, of value: T, then done: @escaping (U) -> Void, on loop: EventLoop
  ) {
    let hop = Future<U, Never>()
    let resolver = FutureCompletion(loop, hop)
    hop.attach({ if case .value(let result) = $0 { done(result) } }, for: hop.node)
    run { resolver(.success(work(value))) }
  }
}

extension StreamFuture where Output: Sendable {
  /// Has the next operation done where `dispatch` says, and what follows on the current loop again.
  public func dispatch(_ dispatch: Dispatch) -> Dispatched<Output, Failure> {
    Dispatched(future: asFuture, dispatch: dispatch, loop: .needed(for: "dispatch(_:)"))
  }
}
