/// The errors that this module's operators reject with by themselves.
///
/// The names are PromiseKit's, for its users' `catch` handlers; ``timedOut``, ``validationFailure`` and
/// ``aggregate(_:)`` are added for the operators that other libraries have.
public enum PMKError: Error {
  /// A completion handler was called with neither a value nor an error.
  case invalidCallingConvention
  /// A handler returned the very promise that it settles.
  case returnedSelf
  /// The arguments make no sense: `race` of nothing, no concurrency at all.
  case badInput
  /// The chain was cancelled.
  case cancelled
  /// `compactMap` had nil from its handler: a description of the value that it was given, and the type that
  /// was wanted. (An error may cross threads, so it cannot hold the value itself.)
  case compactMap(String, any Any.Type)
  /// There was no first or last value.
  case emptySequence
  /// `race(fulfilled:)` had no promise that was fulfilled.
  case noWinner
  /// The time allowed was up.
  case timedOut
  /// `validate` refused the value.
  case validationFailure
  /// `any` had no promise that was fulfilled: their errors, in the order of the promises.
  case aggregate([any Error])
  /// The promise that a task waited for went away unresolved.
  case abandoned
}

extension PMKError {
  /// The error of a `compactMap` whose handler got `value`, which is described, and returned nil.
  @_disfavoredOverload
  public static func compactMap<T>(_ value: T, _ type: any Any.Type) -> PMKError {
    .compactMap(String(describing: value), type)
  }
}

extension PMKError: CustomStringConvertible, CustomDebugStringConvertible {
  /// A sentence about what went wrong.
  public var description: String {
    switch self {
    case .invalidCallingConvention: "a completion handler was called with neither a value nor an error"
    case .returnedSelf: "a handler returned the promise that it is to settle"
    case .badInput: "bad input to a promise function"
    case .cancelled: "the promise was cancelled"
    case .compactMap(let value, let type): "could not make a \(type) of \(value)"
    case .emptySequence: "the sequence has no such element"
    case .noWinner: "All thenables passed to race(fulfilled:) were rejected"
    case .timedOut: "the time allowed for the promise was up"
    case .validationFailure: "the value was refused by a validation"
    case .aggregate(let errors): "none of the promises was fulfilled: \(errors)"
    case .abandoned: "the promise was deallocated before it was resolved"
    }
  }

  /// The same sentence.
  public var debugDescription: String { description }

  /// The same sentence, by the name that Foundation's `LocalizedError` has for it.
  public var errorDescription: String? { description }
}
