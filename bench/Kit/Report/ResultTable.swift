/// The results of a case as lines for a terminal.
public enum ResultTable {
  /// A heading and a table for the rows of one case.
  public static func lines(_ rows: [RowResult]) -> [String] {
    guard let first = rows.first else { return [] }
    let parameters = first.parameters.description
    var heading = first.workload + (parameters.isEmpty ? "" : "  " + parameters)
    heading += "  (\(Figure.whole(first.operations)) operations × \(first.rounds.count) rounds)"
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
    let latency = row.pooledLatency
    func duration(_ value: UInt64?) -> String { value.map { Figure.duration(Double($0)) } ?? "–" }
    let ratio = row.ratioToC
    let isReference = row.style == .c
    return [
      row.style.rawValue + (row.warm ? "" : " *") + (row.saturated == true ? " saturated" : ""),
      Figure.count(row.median.throughput),
      Figure.spread(row.spread.throughput.relative),
      ratio.map { Figure.ratio($0.throughput) } ?? "",
      duration(latency.p50), duration(latency.p99), duration(latency.p999), duration(latency.max),
      row.arrivals == nil ? "" : duration(row.serviceLatency?.p99),
      row.peakRate.map { Figure.count($0) + "/s" } ?? "",
      Figure.duration(row.median.cpuNanosecondsPerOperation),
      Figure.spread(row.spread.cpuNanosecondsPerOperation.relative),
      ratio.map { Figure.ratio($0.cpu) } ?? "",
      isReference ? "" : ratio.map { Figure.duration($0.cpuNanosecondsAbove) } ?? "",
      row.countsPerOperation["allocations"].map { Figure.fixed($0, digits: 2) } ?? "",
      Figure.bytes(Double(row.median.peakRSSBytes)),
    ]
  }

  /// Every count of the rows of a case, per operation: a line for each, a column for each style. What
  /// is 0 in all of them is left out.
  public static func counterLines(_ rows: [RowResult]) -> [String] {
    let names = Set(rows.flatMap(\.countsPerOperation.keys)).subtracting(["marks"]).sorted()
      .filter { name in rows.contains { ($0.countsPerOperation[name] ?? 0) != 0 } }
    guard !names.isEmpty else { return [] }
    var table = TextTable([("per operation", .left)] + rows.map { ($0.style.rawValue, .right) })
    table.add(["user"] + rows.map { Figure.duration($0.median.userNanosecondsPerOperation) })
    table.add(["system"] + rows.map { Figure.duration($0.median.systemNanosecondsPerOperation) })
    for name in names {
      table.add(
        [String(name.map { $0 == "_" ? " " : $0 })]
          + rows.map { $0.countsPerOperation[name].map { Figure.fixed($0, digits: 2) } ?? "" })
    }
    return table.render().map { "  " + $0 }
  }

  /// What the columns mean, in a few lines.
  public static let legend = [
    "Medians over the rounds; ± is the wider quartile. Latencies are pooled over the rounds; – where",
    "fewer than ten samples lie beyond. CPU/op is user and system time of the measured process alone;",
    "ratios are the median over the rounds of the ratio to c within the round. * did not settle in warm-up.",
  ]
}
