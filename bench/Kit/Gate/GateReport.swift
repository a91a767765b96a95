/// Everything that a gate has found out, as it is written with `--json`.
public struct GateReport: Codable, Sendable {
  /// The version of this form.
  public var schema = 1
  /// When it began, in UTC.
  public var date: String
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
  public var counts: [CountsRow]
  public var times: [GateRow]
  /// What the program ended with.
  public var exit: Int32 = 0
  /// Why the gate could not be finished; nil where it was.
  public var reason: String?
  /// A command that measures the same again.
  public var command: String
  /// The same without the options that choose rows.
  public var commandOfAnyRow: String
  /// A command that takes the counts of these rows for the baseline.
  public var updateCommand: String

  enum CodingKeys: String, CodingKey {
    case schema, date, machine, swift, libraries, base, rule, counts, times, exit, reason, command
    case commandOfAnyRow = "command_of_any_row"
    case updateCommand = "update_command"
  }

  /// A report without verdicts. Where only one command is given, it is that of any row.
  public init(
    date: String, machine: Machine, swift: String, libraries: [String: String],
    rule: GateRule, command: String, commandOfAnyRow: String? = nil,
    updateCommand: String = "gate --counts --update"
  ) {
    self.commandOfAnyRow = commandOfAnyRow ?? command
    self.updateCommand = updateCommand
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
