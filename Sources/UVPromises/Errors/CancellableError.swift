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
  /// Whether the error stands for a cancellation: of a promise, of a task, of an operation on the loop, or one
  /// of Foundation's. These are `URLError.cancelled` and `CocoaError.userCancelled`.
  public var isCancelled: Bool {
    if let error = self as? any CancellableError { return error.isCancelled }
    return isCancelledByFoundation
  }

  /// This module does without Foundation, so it looks at the domain and the code. Only few errors have a domain
  /// that isn't the name of their type.
  private var isCancelledByFoundation: Bool {
    switch _code {
    case -999: _domain == "NSURLErrorDomain"
    case 3072: _domain == "NSCocoaErrorDomain"
    // A structure of Swift's, whose own code isn't the one that `Error` has.
    case 1:
      Self.self == cocoaError && Mirror(reflecting: self).descendant("code", "rawValue") as? Int == 3072
    default: false
    }
  }
}

/// `CocoaError` outside Apple's platforms; nil in a program that has no Foundation.
private let cocoaError: Any.Type? = _typeByName("20FoundationEssentials10CocoaErrorV")

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
