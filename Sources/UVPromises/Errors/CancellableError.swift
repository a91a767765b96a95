import UV

/// An error that may stand for a cancellation, which `catch` and `recover` let pass unless asked for all
/// errors.
///
/// PromiseKit's `CancellableError`.
public protocol CancellableError: Error {
  /// Whether this error means that the work was cancelled.
  var isCancelled: Bool { get }
}

extension PMKError: CancellableError {
  /// Whether this is ``cancelled``.
  public var isCancelled: Bool {
    if case .cancelled = self { return true }
    return false
  }
}

extension UVError: CancellableError {}

extension CancellationError: CancellableError {
  /// Always: a task was cancelled.
  public var isCancelled: Bool { true }
}

extension Error {
  /// Whether the error stands for a cancellation: of a promise, of a task, or of an operation on the loop.
  public var isCancelled: Bool { (self as? any CancellableError)?.isCancelled ?? false }
}

/// Which errors a `catch` or `recover` is for.
///
/// PromiseKit's `CatchPolicy`.
public enum CatchPolicy: Sendable {
  /// Every error.
  case allErrors
  /// Every error but those that stand for a cancellation.
  case allErrorsExceptCancellation

  @usableFromInline
  func covers(_ error: any Error) -> Bool { self == .allErrors || !error.isCancelled }
}
