/// A future that is completed from outside.
///
/// It must be kept until it is completed: let go before that, its chain ends as cancelled. It is completed on the thread
/// on which it was made; to complete a future from another there is ``FutureResolver``.
///
/// ```swift
/// let answer = FutureInput<Int, Never>()
/// answer.on { print($0) }
/// answer.complete(42)
/// ```
///
/// RxStream's `FutureInput`.
public final class FutureInput<Output, Failure: Error>: Future<Output, Failure> {
  /// Creates a future that waits to be completed.
  ///
  /// RxStream's `FutureInput.init()`.
  public override init() { super.init() }

  deinit {
    guard isActive else { return }
    // Not through `settle`: nothing may keep this object any more.
    let branches = stream?.branches ?? []
    stream?.branches = []
    while let subscription = firstSubscription {
      remove(subscription)
      subscription.fulfill { .cancelled }
    }
    if !branches.isEmpty { Propagation.run { Propagation.visit(branches, .cancelled) } }
  }

  /// Completes the future with a value; ignored if it has been completed.
  ///
  /// RxStream's `FutureInput.complete(_:)`.
  public func complete(_ value: Output) { settle(.value(value)) }

  /// Completes the future with an error; ignored if it has been completed.
  ///
  /// RxStream's `FutureInput.complete(_:)`.
  public func complete(_ error: Failure) { settle(.failure(error)) }

  /// Completes the future with a result; ignored if it has been completed.
  ///
  /// RxStream's `FutureInput.complete(_:)`.
  public func complete(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let value): complete(value)
    case .failure(let error): complete(error)
    }
  }
}

extension FutureInput where Output == Void {
  /// Completes a future without a value of interest; ignored if it has been completed.
  ///
  /// RxStream's `FutureInput.complete(_:)`.
  public func complete() { settle(.value(())) }
}
