public struct TargetTable: Tabular, Sendable {
  /// A style's bound beside its ratio.
  public struct Line: Sendable {
    public var target: Target
    public var style: Style
    public var bound: Double
    public var parameters: String
    /// The ratio to c within each round, or what was counted above c; empty where the row was not measured.
    public var figures: [Double]

    /// Whether the median reaches the bound; nil where nothing was measured.
    public var isMet: Bool? {
      figures.isEmpty ? nil : target.isMet(Statistics.median(figures), bound)
    }

    /// The bound and the figures, as cells.
    fileprivate var cells: [String] {
      let sign = target.quantity == .throughput ? "≥ " : "≤ "
      let isRatio = ![.instructions, .nanoseconds, .bytes].contains(target.quantity)
      let limit = sign + (isRatio ? Figure.fixed(bound, digits: 2) : Figure.whole(Int(bound)))
      guard !figures.isEmpty else { return [limit, "–", "", ""] }
      let spread = Spread(figures)
      func text(_ figure: Double) -> String { Figure.fixed(figure, digits: isRatio ? 3 : 0) }
      guard target.quantity != .instructions, target.quantity != .bytes else {
        return [limit, text(spread.median), "", ""]
      }
      return [limit, text(spread.median), text(spread.q1) + " to " + text(spread.q3), "\(figures.count)"]
    }
  }

  /// A line for each bound and each case that it was measured in.
  public var lines: [Line]

  public init(_ targets: [Target], _ results: Results) {
    lines = targets.flatMap { target in
      Style.all.compactMap { style in target.bounds[style].map { (style, $0) } }.flatMap { style, bound in
        let rows = results.results.filter { $0.style == style && target.covers($0) }
        let measured = rows.map { row in
          Line(
            target: target, style: style, bound: bound, parameters: row.parameters.description,
            figures: results.figures(of: row, target))
        }
        let nothing = Line(
          target: target, style: style, bound: bound,
          parameters: ParameterValues(target.parameters).description, figures: [])
        return measured.isEmpty ? [nothing] : measured
      }
    }
  }

  /// The head, and a row of cells for each line.
  public var rows: [[String]] {
    [["workload", "parameters", "style", "figure", "target", "measured", "quartiles", "rounds", "verdict"]]
      + lines.map { line in
        [line.target.workload, line.parameters, line.style.rawValue, line.target.heading] + line.cells
          + [line.isMet.map { $0 ? "met" : "missed" } ?? "not measured"]
      }
  }

  public var words: Set<Int> { [0, 1, 2, 3, 6, 8] }

  /// How many are met, and why those that are not are missed.
  public var notes: [String] {
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

  /// The table and the notes, for a page.
  public var section: HTMLReport.Section {
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
    case .bytes: return [row.countsPerOperation[.heldBytes]].compactMap { $0 }
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

  /// The rounds of a row, each beside that of the case that it is compared with.
  private func beside(_ row: RowResult, _ target: Target) -> [(RowResult.Round, RowResult.Round)] {
    let other = results.first { other in
      other.workload == row.workload && other.style == row.style
        && row.parameters.names.allSatisfy {
          other.parameters.value($0) == target.base[$0] ?? row.parameters.value($0)
        }
    }
    guard let other, other.rounds.count == row.rounds.count else { return [] }
    return Array(zip(row.rounds, other.rounds))
  }

  /// The ratio of a row to c within each round.
  func ratios(of row: RowResult, _ figure: (RowResult.Round) -> Double) -> [Double] {
    guard let reference = reference(of: row), reference.rounds.count == row.rounds.count else { return [] }
    return zip(row.rounds, reference.rounds).map { figure($0) / max(figure($1), 1e-9) }
  }
}
