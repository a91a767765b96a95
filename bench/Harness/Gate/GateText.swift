enum GateText {
  /// `+5.2% [+3.9%, +6.4%]`, or an empty text.
  static func change(_ verdict: GateVerdict?) -> String {
    guard let change = verdict?.change else { return "" }
    let bounds = verdict?.interval?.map(percent).joined(separator: ", ")
    return percent(change) + (bounds.map { " [\($0)]" } ?? "")
  }

  static func percent(_ change: Double) -> String {
    (change >= 0 ? "+" : "") + Figure.fixed(change * 100, digits: 1) + "%"
  }

  static func line(_ row: GateRow) -> String {
    var text = "\(label(row.outcome, row.isWarning))  \(row.id)"
    let (cpu, wall) = (change(row.cpu), change(row.wall))
    if !cpu.isEmpty { text += "  CPU \(cpu)" }
    if !wall.isEmpty { text += "  wall \(wall)" }
    if row.cpu != nil, cpu.isEmpty { text += "  too few batches in the time" }
    if let seconds = row.seconds { text += "  (\(Figure.fixed(seconds, digits: 1)) s)" }
    return text + (row.reason.map { ": " + $0 } ?? "")
  }

  static func lines(_ row: CountsRow) -> [String] {
    let first = "\(label(row.outcome, row.isWarning))  \(row.id)" + (row.reason.map { ": " + $0 } ?? "")
    return [first]
      + row.findings.filter { $0.level != .unsteady }.map {
        "              per operation: \($0.change) (\($0.level.rawValue))"
      }
  }

  /// The last words: how many, what failed, and what to do next.
  static func summary(_ report: GateReport) -> [String] {
    var tally: [GateOutcome: Int] = [:]
    for outcome in report.outcomes {
      tally[outcome, default: 0] += 1
    }
    let order: [GateOutcome] = [
      .regressed, .improved, .unchanged, .inconclusive, .tooNoisy, .notComparable,
    ]
    let parts = order.compactMap { outcome in tally[outcome].map { "\($0) \(outcome.rawValue)" } }
    var lines = report.reason.map { ["not finished: \($0)"] } ?? []
    if !parts.isEmpty || lines.isEmpty {
      lines.append(parts.isEmpty ? "nothing was measured" : parts.joined(separator: ", "))
    }
    if let file = report.base["counts"], !report.counts.isEmpty {
      let (all, same) = (report.counts.count, report.counts.count { $0.outcome == .unchanged })
      lines.append(
        "counts: " + (same == all ? "" : "\(same) of ") + Figure.number(all, "row") + " as in \(file)")
    }
    for row in report.times where row.outcome == .regressed {
      lines.append("slower: \(row.id) by \(change(row.cpu)); try `\(command(report, row.id))`")
    }
    for row in report.figures where row.outcome == .regressed {
      lines.append("worse: \(row.title), \(row.cells[3]); again: `\(report.command)`")
    }
    for row in report.counts where row.outcome == .regressed {
      let worst = row.findings.filter { $0.level == .regressed }.map(\.change)
      lines.append("costlier: \(row.id): \(worst.joined(separator: ", "))")
    }
    if report.base["counts"] != nil, report.counts.contains(where: { $0.outcome == .regressed }) {
      lines.append("if that is intended: `\(report.updateCommand)`, and commit the file")
    }
    let unsteady = report.counts.reduce(0) { $0 + $1.findings.count { $0.level == .unsteady } }
    if unsteady > 0 { lines.append("counts that depend on timing and are not judged: \(unsteady)") }
    if report.outcomes.contains(where: { $0 == .tooNoisy || $0 == .inconclusive }) {
      lines.append("inconclusive is no failure: a quieter machine may tell (see `doctor`)")
    }
    return lines
  }

  /// A command that measures one row again.
  static func command(_ report: GateReport, _ id: String) -> String {
    guard let parsed = WorkloadID(id) else { return report.command }
    let parameters = parsed.parameters.pairs.map { " -p " + $0 }.joined()
    return "\(report.commandOfAnyRow) -w \(parsed.workload) -s \(parsed.style)\(parameters)"
  }

  private static func label(_ outcome: GateOutcome, _ isWarning: Bool) -> String {
    let text = isWarning ? "warning" : outcome.rawValue
    return text + String(repeating: " ", count: max(0, 14 - text.count))
  }
}
