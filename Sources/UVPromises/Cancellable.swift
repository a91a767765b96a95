/// PromiseKit 7's name for a promise whose chain can be cancelled; here all can.
public typealias CancellablePromise<T> = Promise<T>

/// The handle for cancelling a chain, which may be kept apart from it.
///
/// PromiseKit 7's `CancelContext`.
public struct CancelContext {
  private let node: Node

  init(node: Node) { self.node = node }

  /// Cancels the chain; see ``Promise/cancel(with:)``.
  ///
  /// - Parameter error: What the chain fails with.
  ///
  /// PromiseKit 7's `cancel(with:)`.
  public func cancel(with error: any Error = PMKError.cancelled) {
    node.flags.insert(.cancelAttempted)
    node.revoke(error)
    node.cancel(with: error)
  }

  /// Whether the program has asked for the cancellation of this promise, or of a chain that waits for it and
  /// that nobody else's handlers kept it from.
  ///
  /// PromiseKit 7's `cancelAttempted`.
  public var cancelAttempted: Bool { node.flags.contains(.cancelAttempted) }

  /// Whether a cancellation that the program asked for had an effect on this promise: the promise is pending,
  /// has failed with an error that stands for a cancellation, or had its value, so that its handlers see the
  /// cancellation. It is false where the promise has failed with another error.
  ///
  /// PromiseKit 7's `isCancelled`.
  public var isCancelled: Bool {
    guard cancelAttempted else { return false }
    switch node.state {
    case .pending, .revoked: return true
    case .fulfilled: return false
    case .rejected: return node.failure.isCancelled
    }
  }
}

extension Thenable {
  /// The handle for cancelling the chain that ends here.
  ///
  /// PromiseKit 7's `cancelContext`.
  public var cancelContext: CancelContext { CancelContext(node: node) }

  /// The same promise, for code written for PromiseKit 7; every chain can be cancelled here.
  ///
  /// PromiseKit 7's `cancellize`.
  public func cancellize() -> Promise<T> { Promise(self) }
}

extension PMKFinalizer {
  /// The handle for cancelling the chain that ends here.
  ///
  /// PromiseKit 7's `cancelContext`.
  public var cancelContext: CancelContext { CancelContext(node: node) }
}

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
