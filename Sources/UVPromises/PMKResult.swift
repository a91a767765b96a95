/// How a promise ended.
///
/// PromiseKit's `Result`, which goes by this name here so that `Result` stays the standard library's.
public enum PMKResult<T> {
  /// It has a value.
  case fulfilled(T)
  /// It has an error.
  case rejected(any Error)

  /// Whether there is a value.
  public var isFulfilled: Bool {
    if case .fulfilled = self { return true }
    return false
  }

  /// Whether there is an error.
  public var isRejected: Bool { !isFulfilled }

  /// The value, if there is one.
  public var value: T? {
    if case .fulfilled(let value) = self { return value }
    return nil
  }

  /// The error, if there is one.
  public var error: (any Error)? {
    if case .rejected(let error) = self { return error }
    return nil
  }

  /// The value.
  ///
  /// - Throws: The error.
  public func get() throws -> T {
    switch self {
    case .fulfilled(let value): return value
    case .rejected(let error): throw error
    }
  }

  /// The standard library's form of the same.
  public var result: Result<T, any Error> {
    switch self {
    case .fulfilled(let value): .success(value)
    case .rejected(let error): .failure(error)
    }
  }

  /// Takes over the standard library's form.
  public init<Failure: Error>(_ result: Result<T, Failure>) {
    switch result {
    case .success(let value): self = .fulfilled(value)
    case .failure(let error): self = .rejected(error)
    }
  }
}

extension PMKResult: Sendable where T: Sendable {}
