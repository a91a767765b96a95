import UV

/// A future that runs its task when something is attached to it, and not before.
///
/// The task runs at most once; its value is kept, and the task with what it captured let go. What is never
/// attached to never runs. Attached is what an operator of RxStream's or a Combine subscriber does.
///
/// RxStream's `Lazy`.
public final class Lazy<Output, Failure: Error>: Future<Output, Failure> {
  /// Creates a future whose task waits for somebody to want its result.
  ///
  /// - Parameter task: Starts the work and has its argument called with the result, at once or later, on any thread. The
  ///   loop keeps running from then on until that is called or let go.
  ///
  /// RxStream's `Lazy.init(dispatch:task:)`.
  public init(_ task: @escaping (@escaping Promise) -> Void) {
    super.init()
    let gate = Gate.unlessOnLoop
    self.gate = gate
    startWork = { [weak self] in
      guard let self else { return }
      guard gate == nil, let loop = EventLoop.current else { return task { self.settleThroughGate($0) } }
      let resolver = FutureResolver(loop, self)
      task { resolver.resolve($0) }
    }
  }

  /// Creates a future on the current loop whose task, once somebody wants its result, runs where `dispatch` says.
  ///
  /// RxStream's `Lazy.init(dispatch:task:)`.
  public convenience init(
    dispatch: Dispatch, task: @escaping @Sendable (FutureResolver<Output, Failure>) -> Void
  ) {
    let loop = EventLoop.needed(for: "Lazy(dispatch:task:)")
    self.init { promise in
      let work = Future<Output, Failure>(on: loop) { resolver in dispatch.run { task(resolver) } }
      _ = work.derive { (settlement, _: Future<Never, Never>) in
        switch settlement {
        case .value(let value): promise(.success(value))
        case .failure(let error): promise(.failure(error))
        case .completed, .cancelled: break
        }
      }
    }
  }
}
