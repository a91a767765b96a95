import UV

/// A future whose task runs when something is attached to the future, and not before.
///
/// The task runs at most once. The future keeps the value and releases the task with everything it captured.
/// If nothing attaches, the task never runs.
///
/// RxStream's `Lazy`.
public final class Lazy<Output, Failure: Error>: Future<Output, Failure> {
  /// Creates a future whose task runs when the result is first wanted.
  ///
  /// - Parameter task: Starts the work and has its argument called with the result, at once or later, on any
  ///   thread. The loop keeps running from then on until that argument is called or released.
  public convenience init(_ task: @escaping (@escaping Promise) -> Void) {
    self.init(later: { task($0) })
  }

  /// As ``Future/init(start:)``, when somebody wants the result.
  init(later task: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    super.init()
    let gate = Gate.unlessOnLoop
    self.gate = gate
    startWork = { [weak self] in
      guard let self else { return }
      guard gate == nil, let loop = EventLoop.current else {
        // Sound: touched inside the gate.
        let transfer = UnsafeTransfer(self)
        return task { transfer.value.settleThroughGate(Settlement($0)) }
      }
      let completion = FutureCompletion(loop, self)
      task { completion.resolve($0) }
    }
  }

  /// Creates a future on the current loop whose task, once somebody wants its result, runs where `dispatch`
  /// says.
  public convenience init(
    dispatch: Dispatch, task: @escaping @Sendable (FutureCompletion<Output, Failure>) -> Void
  ) {
    let loop = EventLoop.needed(for: "Lazy(dispatch:task:)")
    self.init(later: { promise in
      let work = Future<Output, Failure>()
      let completion = FutureCompletion(loop, work)
      dispatch.run { task(completion) }
      _ = work.derive { (settlement, _: Future<Never, Never>) in
        switch settlement {
        case .value(let value): promise(.success(value))
        case .failure(let error): promise(.failure(error))
        case .completed, .cancelled: break
        }
      }
    })
  }
}

extension Lazy where Output: Sendable {
  /// Creates a future whose task runs when the result is first wanted. The task's argument can be captured by
  /// the completion handler of work on another thread.
  ///
  /// - Parameter task: Starts the work and has its argument called with the result, at once or later, on any
  ///   thread. The loop keeps running from then on until that argument is called or released.
  public convenience init(
    _ task: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  ) {
    self.init(later: task)
  }
}
