/// How a stream ended.
///
/// Two terminations are equal if they are of the same kind, whatever the error.
///
/// RxStream's `Termination`.
public enum Termination<Failure: Error> {
  /// With its value, or with none where an operator passed nothing on.
  case completed
  /// By being cancelled, or by the loss of what was to complete it.
  case cancelled
  /// With an error.
  case error(Failure)
}

extension Termination: Equatable {
  /// Whether both are of the same kind.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.completed, .completed), (.cancelled, .cancelled), (.error, .error): true
    default: false
    }
  }
}

extension Termination: Sendable {}

/// Whether a stream may still deliver.
///
/// RxStream's `StreamState`.
public enum StreamState<Failure: Error>: Equatable, Sendable {
  /// It may.
  case active
  /// It has ended.
  case terminated(reason: Termination<Failure>)
}

extension Settlement {
  @inlinable
  var termination: Termination<Failure> {
    switch self {
    case .value, .completed: .completed
    case .cancelled: .cancelled
    case .failure(let error): .error(error)
    }
  }

  @inlinable
  init(_ termination: Termination<Failure>) {
    switch termination {
    case .completed: self = .completed
    case .cancelled: self = .cancelled
    case .error(let error): self = .failure(error)
    }
  }

  /// The end as it is for a future of other values; nil if there is a value.
  @inlinable
  func withoutValue<T>(as _: T.Type = T.self) -> Settlement<T, Failure>? {
    switch self {
    case .value: nil
    case .completed: .completed
    case .cancelled: .cancelled
    case .failure(let error): .failure(error)
    }
  }
}

extension Future {
  /// Whether the future may still deliver, or how it ended.
  ///
  /// RxStream's `state`.
  public final var state: StreamState<Failure> {
    outcome.map { .terminated(reason: $0.termination) } ?? .active
  }

  /// Whether the future may still deliver.
  ///
  /// RxStream's `isActive`.
  public final var isActive: Bool { !isSettled }
}
