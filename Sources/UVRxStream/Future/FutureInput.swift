/// A future that is completed from outside.
///
/// Keep the future until it is completed: if it is released earlier, its chain ends as cancelled. Any thread
/// may complete or release it. A future that is created on a loop keeps the loop running until then, and
/// delivers on that loop.
///
/// ```swift
/// let answer = FutureInput<Int, Never>()
/// answer.on { print($0) }
/// answer.complete(42)
/// ```
///
/// RxStream's `FutureInput`.
public final class FutureInput<Output, Failure: Error>: Future<Output, Failure> {
  let root = InputRoot(for: FutureInput.self)

  /// Creates a future that waits to be completed.
  public override init() {
    super.init()
    root.attach(to: self)
  }

  deinit { root.lose(self) }
  func complete(with settlement: Settlement<Output, Failure>) { root.settle(self, settlement) }

  /// Completes the future with a value, from any thread; ignored if it has been completed.
  ///
  /// On its loop's thread its chain gets the value before this returns.
  public func complete(_ value: Output) { complete(with: .value(value)) }

  /// Completes the future with an error, from any thread; ignored if it has been completed.
  public func complete(_ error: Failure) { complete(with: .failure(error)) }

  /// Completes the future with a result, from any thread; ignored if it has been completed.
  public func complete(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let value): complete(value)
    case .failure(let error): complete(error)
    }
  }
}

extension FutureInput where Output == Void {
  /// Completes a future without a value of interest, from any thread; ignored if it has been completed.
  public func complete() { complete(()) }
}
