extension Promise {
  /// Cancels the chain that ends with this promise: the operation at its beginning is cancelled, and its
  /// error, which stands for a cancellation, goes down the chain. Where a promise on the way has other
  /// handlers, it goes on for them, and the cancellation begins below it.
  ///
  /// `catch` and `recover` let the error pass unless they are for all errors; `ensure` and `finally` run.
  /// Where something in the chain has failed already, its error goes down the chain.
  ///
  /// A promise that has its value keeps it. The handlers that wait for it see the error instead, and so do
  /// handlers that are added later. The result of a handler that is running is dropped. A chain that has gone
  /// on from the value isn't cancelled: to stop that chain, cancel its end.
  ///
  /// The steps on the way are walked one by one; their handlers run as microtasks.
  ///
  /// - Parameter error: What the chain fails with.
  public func cancel(with error: any Error = PMKError.cancelled) { cancelContext.cancel(with: error) }
}

extension Guarantee {
  /// Cancels the chain that ends with this guarantee, as ``Promise/cancel(with:)``. A guarantee cannot fail:
  /// one whose own operation is cancelled, such as ``after(_:file:line:)-(Duration,_,_)``, is never resolved.
  public func cancel() { cancelContext.cancel() }
}

extension PMKFinalizer {
  /// Cancels the chain that ends here, as ``Promise/cancel(with:)``; `finally` runs.
  ///
  /// - Parameter error: What the chain fails with.
  public func cancel(with error: any Error = PMKError.cancelled) { cancelContext.cancel(with: error) }
}
