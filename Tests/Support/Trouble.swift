/// A failure that a test distinguishes from others.
public enum Trouble: Error, Equatable {
  /// One failure.
  case first
  /// Another.
  case second
}

/// An object, to see by a weak reference whether it has been let go.
public final class Token {
  /// An object of its own.
  public init() {}
}
