/// Everything that a gate has found out, as it is written with `--json`.
struct GateReport: Codable, Sendable {
  var schema = 1
  var date: String
  /// In a gate of other people's programs: its name in a history, and the commit of their repository.
  var name, commit: String?
  var machine: Machine
  var swift: String
  var libraries: [String: String]
  /// What was compared with: a commit, a program, a file; empty for a layer that did not run.
  var base: [String: String] = [:]
  var rule: GateRule
  var counts: [CountsRow] = []
  var times: [GateRow] = []
  /// Of programs that others wrote.
  var figures: [FigureRow] = []
  var exit: Int32 = 0
  var reason: String?
  /// How long all of it took.
  var seconds: Double?
  var command: String
  /// The same without the options that choose rows.
  var commandOfAnyRow = ""
  var updateCommand = ""

  enum CodingKeys: String, CodingKey {
    case schema, date, name, commit, machine, swift, libraries, base, rule, counts, times, figures, exit,
      reason, seconds, command
    case commandOfAnyRow = "command_of_any_row"
    case updateCommand = "update_command"
  }

  var outcomes: [GateOutcome] { counts.map(\.outcome) + times.map(\.outcome) + figures.map(\.outcome) }

  func code(strict: Bool) -> BenchExit {
    let outcomes = outcomes
    if outcomes.contains(.regressed) { return .regression }
    if outcomes.contains(.notComparable) { return .notComparable }
    let open = outcomes.contains(.inconclusive) || outcomes.contains(.tooNoisy)
    return strict && open ? .inconclusive : .success
  }
}
