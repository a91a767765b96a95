struct TargetTable: Tabular, Sendable {
  struct Line: Sendable {
    var target: Target
    var style: Style
    var bound: Double
    var parameters: String
    /// The ratio to c within each round, or what was counted above c; empty where the row was not measured.
    var figures: [Double]

    /// Whether the median reaches the bound; nil where nothing was measured.
    var isMet: Bool? { figures.isEmpty ? nil : target.isMet(Statistics.median(figures), bound) }

    fileprivate var cells: [String] {
      let sign = target.quantity == .throughput ? "≥ " : "≤ "
      let isCount = target.quantity == .instructions || target.quantity.countOfBytes != nil
      let isRatio = !isCount && target.quantity != .nanoseconds
      let limit = sign + (isRatio ? Figure.fixed(bound, digits: 2) : Figure.whole(Int(bound)))
      guard !figures.isEmpty else { return [limit, "–", "", ""] }
      let spread = Spread(figures)
      func text(_ figure: Double) -> String { Figure.fixed(figure, digits: isRatio ? 3 : 0) }
      if isCount { return [limit, text(spread.median), "", ""] }
      return [limit, text(spread.median), text(spread.q1) + " to " + text(spread.q3), "\(figures.count)"]
    }
  }

  var lines: [Line]

  init(_ targets: [Target], _ results: Results) {
    lines = targets.flatMap { target in
      Style.all.compactMap { style in target.bounds[style].map { (style, $0) } }.flatMap { style, bound in
        let rows: [RowResult?] = results.results.filter { $0.style == style && target.covers($0) }
        return (rows.isEmpty ? [nil] : rows).map { row in
          Line(
            target: target, style: style, bound: bound,
            parameters: (row?.parameters ?? ParameterValues(target.parameters)).description,
            figures: row.map { results.figures(of: $0, target) } ?? [])
        }
      }
    }
  }

  var rows: [[String]] {
    [["workload", "parameters", "style", "figure", "target", "measured", "quartiles", "rounds", "verdict"]]
      + lines.map { line in
        [line.target.workload, line.parameters, line.style.rawValue, line.target.heading] + line.cells
          + [line.isMet.map { $0 ? "met" : "missed" } ?? "not measured"]
      }
  }

  var words: Set<Int> { [0, 1, 2, 3, 6, 8] }

  /// How many are met, and why those that are not are missed.
  var notes: [String] {
    let missed = lines.filter { $0.isMet == false }
    let met = lines.count { $0.isMet == true }
    let reasons = missed.map { line in
      "\(line.target.workload) \(line.parameters), \(line.style): "
        + (line.target.reasons[line.style] ?? "missed, and the reason is not known yet")
    }
    let others = lines.count - met - missed.count
    let rest = others == 0 ? "" : ", \(others) not measured"
    return ["\(met) of \(lines.count) targets met, \(missed.count) missed\(rest)."] + reasons
  }

  var section: HTMLReport.Section {
    HTMLReport.Section(id: "targets", title: "Targets", table: rows, notes: notes)
  }
}

extension Results {
  func figures(of row: RowResult, _ target: Target) -> [Double] {
    switch target.quantity {
    case .processorTime: return ratios(of: row, \.cpuNanosecondsPerOperation)
    case .throughput: return ratios(of: row, \.throughput)
    case .instructions:
      let counts = [row, reference(of: row)].compactMap { $0?.countsPerOperation[.instructions] }
      return counts.count == 2 ? [counts[0] - counts[1]] : []
    case .bytes, .resident:
      return [target.quantity.countOfBytes.flatMap { row.countsPerOperation[$0] }].compactMap { $0 }
    case .nanoseconds:
      if target.base.isEmpty { return row.rounds.map(\.cpuNanosecondsPerOperation) }
      return beside(row, target).map { $0.cpuNanosecondsPerOperation - $1.cpuNanosecondsPerOperation }
    case .tail:
      return beside(row, target).compactMap { own, other in
        guard let own = own.latency.p99, let other = other.latency.p99, other > 0 else { return nil }
        return Double(own) / Double(other)
      }
    }
  }

  /// The rounds of a row, each beside that of the case that it is compared with, as many as both have: a budget of
  /// time may leave out the last.
  private func beside(_ row: RowResult, _ target: Target) -> [(RowResult.Round, RowResult.Round)] {
    let other = results.first { other in
      other.workload == row.workload && other.style == row.style
        && row.parameters.names.allSatisfy {
          other.parameters.value($0) == target.base[$0] ?? row.parameters.value($0)
        }
    }
    return Array(zip(row.rounds, other?.rounds ?? []))
  }

  /// The ratio of a row to c within each round.
  func ratios(of row: RowResult, _ figure: (RowResult.Round) -> Double) -> [Double] {
    guard let reference = reference(of: row), reference.rounds.count == row.rounds.count else { return [] }
    return zip(row.rounds, reference.rounds).map { figure($0) / max(figure($1), 1e-9) }
  }
}
