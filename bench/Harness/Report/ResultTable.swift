enum ResultTable {
  static func lines(_ rows: [RowResult]) -> [String] {
    guard let first = rows.first else { return [] }
    let parameters = first.parameters.description
    var heading = first.workload + (parameters.isEmpty ? "" : "  " + parameters)
    let rounds = Figure.number(first.rounds.count, "round")
    heading += "  (\(Figure.whole(first.operations)) operations × \(rounds))"
    if let arrivals = first.arrivals {
      heading += "  open loop, \(Figure.count(arrivals.rate))/s" + (arrivals.isPoisson ? ", Poisson" : "")
    }
    var table = RowFigure.table(
      rows,
      [
        .style, .throughput, .throughputSpread, .throughputRatio, .p50, .p99, .p999, .max, .serviceP99,
        .peakRate, .cpu, .cpuSpread, .cpuRatio, .aboveC, .allocations, .memory,
      ])
    let absent = TextTable(table, words: []).dashes.filter { $0 != "±" }
    table[0] = table[0].map { $0 == "±" ? "" : $0 }
    return [heading] + TextTable(table, words: [0]).text.map { "  " + $0 }
      + (absent.isEmpty
        ? []
        : [
          "  not enough samples for \(absent.joined(separator: ", ")): a longer --duration or more --rounds has them"
        ])
  }

  /// Every count of the rows of a case, per operation: a line for each, a column for each style. What
  /// is 0 in all of them is left out.
  static func counterLines(_ rows: [RowResult]) -> [String] {
    func figure(_ value: Double) -> String { Figure.fixed(value, digits: 2) }
    let names = Set(rows.flatMap(\.countsPerOperation.keys)).subtracting([.marks]).sorted()
      .filter { name in rows.contains { figure($0.countsPerOperation[name] ?? 0) != figure(0) } }
    guard !names.isEmpty else { return [] }
    let shares = rows.map { row in row.shares(of: row.rounds).map { $0.map(Figure.duration) ?? "" } }
    let times = ["user", "system"].enumerated().map { place, name in [name] + shares.map { $0[place] } }
    let lines =
      times.filter { $0.dropFirst().contains { !$0.isEmpty } }
      + names.map { name in
        [String(name.rawValue.map { $0 == "_" ? " " : $0 })]
          + rows.map { $0.countsPerOperation[name].map(figure) ?? "" }
      }
    let head = ["per operation"] + rows.map(\.style.rawValue)
    return TextTable([head] + lines, words: [0]).text.map { "  " + $0 }
  }

  static let legend = [
    "Medians over the rounds; ± is the wider quartile. Latencies are pooled over the rounds. – stands where a",
    "figure has too few samples: ten beyond a percentile, three rounds, 100 operations for a ratio. CPU/op",
    "is user and system time of the measured process alone; ratios are the median over the rounds of the ratio to c within the round. * did not settle in warm-up.",
  ]
}
