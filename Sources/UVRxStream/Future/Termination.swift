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

extension Future {
  /// Whether the future may still deliver, or how it ended.
  public final var state: StreamState<Failure> {
    outcome.map { .terminated(reason: $0.termination) } ?? .active
  }

  /// Whether the future may still deliver.
  public final var isActive: Bool { outcome == nil }
}
