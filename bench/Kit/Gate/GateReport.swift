/// Everything that a gate has found out, as it is written with `--json`.
struct GateReport: Codable, Sendable {
  var schema = 1
  var date: String
  var machine: Machine
  var swift: String
  var libraries: [String: String]
  /// What was compared with: a commit, a program, a file; empty for a layer that did not run.
  var base: [String: String] = [:]
  var rule: GateRule
  var counts: [CountsRow] = []
  var times: [GateRow] = []
  var exit: Int32 = 0
  var reason: String?
  var command: String
  /// The same without the options that choose rows.
  var commandOfAnyRow = ""
  var updateCommand = ""

  enum CodingKeys: String, CodingKey {
    case schema, date, machine, swift, libraries, base, rule, counts, times, exit, reason, command
    case commandOfAnyRow = "command_of_any_row"
    case updateCommand = "update_command"
  }

  func code(strict: Bool) -> BenchExit {
    let outcomes = counts.map(\.outcome) + times.map(\.outcome)
    if outcomes.contains(.regressed) { return .regression }
    if outcomes.contains(.notComparable) { return .notComparable }
    let open = outcomes.contains(.inconclusive) || outcomes.contains(.tooNoisy)
    return strict && open ? .inconclusive : .success
  }
}
