/// The results of a case as lines for a terminal.
public enum ResultTable {
  /// A heading and a table for the rows of one case.
  public static func lines(_ rows: [RowResult]) -> [String] {
    guard let first = rows.first else { return [] }
    let parameters = first.parameters.description
    var heading = first.workload + (parameters.isEmpty ? "" : "  " + parameters)
    let rounds = Figure.number(first.rounds.count, "round")
    heading += "  (\(Figure.whole(first.operations)) operations × \(rounds))"
    var table = TextTable([
      ("style", .left), ("ops/s", .right), ("", .right), ("ops/s vs c", .right), ("p50", .right),
      ("p99", .right), ("p99.9", .right), ("max", .right), ("service p99", .right),
      ("peak rate", .right), ("CPU/op", .right), (" ", .right),
      ("CPU vs c", .right), ("above c", .right), ("allocs/op", .right), ("peak RSS", .right),
    ])
    for row in rows { table.add(cells(row)) }
    if let arrivals = first.arrivals {
      heading += "  open loop, \(Figure.count(arrivals.rate))/s" + (arrivals.isPoisson ? ", Poisson" : "")
    }
    return [heading] + table.render().map { "  " + $0 }
  }

  private static func cells(_ row: RowResult) -> [String] {
    let figures = RowFigures(row)
    return [
      figures.style, figures.throughput, figures.throughputSpread, figures.throughputRatio,
      figures.latency(\.p50), figures.latency(\.p99), figures.latency(\.p999), figures.latency(\.max),
      row.arrivals == nil ? "" : RowFigures.duration(row.serviceLatency?.p99),
      row.peakRate.map { Figure.count($0) + "/s" } ?? "",
      figures.cpu, figures.cpuSpread, figures.cpuRatio, figures.aboveC, figures.count(.allocations),
      figures.memory,
    ]
  }

  /// Every count of the rows of a case, per operation: a line for each, a column for each style. What
  /// is 0 in all of them is left out.
  public static func counterLines(_ rows: [RowResult]) -> [String] {
    func figure(_ value: Double) -> String { Figure.fixed(value, digits: 2) }
    let names = Set(rows.flatMap(\.countsPerOperation.keys)).subtracting([.marks]).sorted()
      .filter { name in rows.contains { figure($0.countsPerOperation[name] ?? 0) != figure(0) } }
    guard !names.isEmpty else { return [] }
    var table = TextTable([("per operation", .left)] + rows.map { ($0.style.rawValue, .right) })
    table.add(["user"] + rows.map { Figure.duration($0.median.userNanosecondsPerOperation) })
    table.add(["system"] + rows.map { Figure.duration($0.median.systemNanosecondsPerOperation) })
    for name in names {
      table.add(
        [String(name.rawValue.map { $0 == "_" ? " " : $0 })]
          + rows.map { $0.countsPerOperation[name].map(figure) ?? "" })
    }
    return table.render().map { "  " + $0 }
  }

  /// What the columns mean, in a few lines.
  public static let legend = [
    "Medians over the rounds; ± is the wider quartile. Latencies are pooled over the rounds. – stands where a",
    "figure has too few samples: ten beyond a percentile, three rounds, 100 operations for a ratio. CPU/op",
    "is user and system time of the measured process alone; ratios are the median over the rounds of the ratio to c within the round. * did not settle in warm-up.",
  ]
}
