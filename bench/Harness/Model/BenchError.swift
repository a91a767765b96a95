/// What this program says itself, and nothing that a library throws.
public protocol BenchError: Error, CustomStringConvertible {}

/// An error that is a sentence. Its kind decides what the program ends with.
public struct Complaint<Kind>: BenchError {
  public var description: String

  public init(_ description: String) { self.description = description }
}

public enum ComplaintKind {
  public enum Work {}
  public enum Worker {}
  public enum Use {}
  public enum Comparison {}
}

/// The work was not done, or not rightly: the run ends and shows no figures.
public typealias WrongWork = Complaint<ComplaintKind.Work>
/// A worker or a load generator ended, fell silent, or said what it should not.
public typealias WorkerFailure = Complaint<ComplaintKind.Worker>
/// The harness was asked for what it does not have, or a file could not be used.
public typealias UsageError = Complaint<ComplaintKind.Use>
/// Two things that were to be compared cannot be.
public typealias NotComparable = Complaint<ComplaintKind.Comparison>

struct Interrupted: BenchError {
  var description: String { "interrupted" }
}

/// Names the row in what `body` throws.
func naming<T>(_ row: some CustomStringConvertible, _ body: () throws -> T) throws -> T {
  do {
    return try body()
  } catch let error as WrongWork {
    throw WrongWork("\(row): \(error)")
  } catch let error as WorkerFailure {
    throw WorkerFailure("\(row): \(error)")
  }
}

/// What the program ends with. It is part of its interface: scripts rely on it.
public enum BenchExit: Int32, Sendable {
  /// All is well: no regression, or none that could be shown.
  case success = 0
  /// Something got slower or costlier.
  case regression = 1
  /// Wrong use, or a file that cannot be read or written.
  case usage = 2
  case wrongWork = 3
  /// There is nothing to compare with, or it is another work.
  case notComparable = 4
  /// There is no verdict, and `--strict` asked for an answer.
  case inconclusive = 5
  case interrupted = 130

  init(_ error: any Error) {
    switch error {
    case is WrongWork, is WorkerFailure: self = .wrongWork
    case is NotComparable: self = .notComparable
    case is Interrupted: self = .interrupted
    default: self = .usage
    }
  }
}
