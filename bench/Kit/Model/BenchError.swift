/// The work was not done, or not rightly: the run ends and shows no figures.
public struct WrongWork: Error, CustomStringConvertible {
  public var description: String

  /// Wrong work, described in a sentence.
  public init(_ description: String) { self.description = description }
}

/// A worker or a load generator ended, fell silent, or said what it should not.
public struct WorkerFailure: Error, CustomStringConvertible {
  public var description: String

  /// A failure, described in a sentence.
  public init(_ description: String) { self.description = description }
}

/// The harness was asked for what it does not have, or a file could not be used.
public struct UsageError: Error, CustomStringConvertible {
  /// What was wrong, and what to do instead.
  public var description: String

  /// A mistake, described in a sentence.
  public init(_ description: String) { self.description = description }
}

/// Two things that were to be compared cannot be.
public struct NotComparable: Error, CustomStringConvertible {
  /// Why not, and what to do instead.
  public var description: String

  /// An error, described in a sentence.
  public init(_ description: String) { self.description = description }
}

/// The user asked the run to end.
public struct Interrupted: Error, CustomStringConvertible {
  public init() {}

  public var description: String { "interrupted" }
}

/// What the program ends with. It is part of its interface: scripts rely on it.
public enum BenchExit: Int32, Sendable {
  /// All is well: no regression, or none that could be told.
  case success = 0
  /// Something got slower or costlier.
  case regression = 1
  /// Wrong use, or a file that cannot be read or written.
  case usage = 2
  case wrongWork = 3
  /// There is nothing to compare with, or it is another work.
  case notComparable = 4
  /// It could not be told, and `--strict` asked for an answer.
  case inconclusive = 5
  /// Ended by the user.
  case interrupted = 130

  public init(_ error: any Error) {
    switch error {
    case is WrongWork, is WorkerFailure: self = .wrongWork
    case is NotComparable: self = .notComparable
    case is Interrupted: self = .interrupted
    default: self = .usage
    }
  }
}
