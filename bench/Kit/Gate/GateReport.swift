/// Everything that a gate has found out, as it is written with `--json`.
public struct GateReport: Codable, Sendable {
  /// The version of this form.
  public var schema = 1
  /// When it began, in UTC.
  public var date: String
  /// Where it ran.
  public var machine: Machine
  /// The version of the compiler.
  public var swift: String
  /// The versions of the libraries under test.
  public var libraries: [String: String]
  /// What was compared with: a commit, a program, a file; empty for a layer that did
  /// not run.
  public var base: [String: String]
  /// The rule by which times were judged.
  public var rule: GateRule
  /// The verdicts by counts.
  public var counts: [CountsRow]
  /// The verdicts by time.
  public var times: [GateRow]
  /// What the program ended with.
  public var exit: Int32 = 0
  /// A command that measures the same again.
  public var command: String

  /// A report without verdicts.
  public init(
    date: String, machine: Machine, swift: String, libraries: [String: String],
    rule: GateRule, command: String
  ) {
    self.date = date
    self.machine = machine
    self.swift = swift
    self.libraries = libraries
    self.rule = rule
    self.command = command
    base = [:]
    counts = []
    times = []
  }

  /// What the program is to end with.
  public func code(strict: Bool) -> BenchExit {
    let outcomes = counts.map(\.outcome) + times.map(\.outcome)
    if outcomes.contains(.regressed) { return .regression }
    if outcomes.contains(.notComparable) { return .notComparable }
    let open = outcomes.contains(.inconclusive) || outcomes.contains(.tooNoisy)
    return strict && open ? .inconclusive : .success
  }
}
