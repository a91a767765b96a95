/// The work was not done, or not rightly: the run ends and shows no figures.
public struct WrongWork: Error, CustomStringConvertible {
  /// What was wrong.
  public var description: String

  /// Wrong work, described in a sentence.
  public init(_ description: String) { self.description = description }
}

/// A worker or a load generator ended, fell silent, or said what it should not.
public struct WorkerFailure: Error, CustomStringConvertible {
  /// What happened.
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

/// The user asked the run to end.
public struct Interrupted: Error {
  /// An interruption.
  public init() {}
}

/// What the program ends with. It is part of its interface: scripts rely on it.
public enum BenchExit: Int32, Sendable {
  /// All is well.
  case success = 0
  /// Wrong use, or a file that cannot be read or written.
  case usage = 2
  /// The work was wrong, or a worker died.
  case wrongWork = 3
  /// Ended by the user.
  case interrupted = 130

  /// The code that belongs to an error.
  public init(_ error: any Error) {
    switch error {
    case is WrongWork, is WorkerFailure: self = .wrongWork
    case is Interrupted: self = .interrupted
    default: self = .usage
    }
  }
}
