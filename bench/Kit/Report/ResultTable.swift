/// The results of a case as lines for a terminal.
public enum ResultTable {
  /// A heading and a table for the rows of one case.
  public static func lines(_ rows: [RowResult]) -> [String] {
    guard let first = rows.first else { return [] }
    let parameters = first.parameters.description
    var heading = first.workload + (parameters.isEmpty ? "" : "  " + parameters)
    heading += "  (\(Figure.whole(first.operations)) operations × \(first.rounds.count) rounds)"
    var table = TextTable([
      ("style", .left), ("ops/s", .right), ("", .right), ("vs c", .right), ("p50", .right),
      ("p99", .right), ("p99.9", .right), ("max", .right), ("CPU/op", .right), (" ", .right),
      ("vs c ", .right), ("above c", .right), ("allocs/op", .right), ("peak RSS", .right),
    ])
    for row in rows { table.add(cells(row)) }
    return [heading] + table.render().map { "  " + $0 }
  }

  private static func cells(_ row: RowResult) -> [String] {
    let latency = row.pooledLatency
    func duration(_ value: UInt64?) -> String { value.map { Figure.duration(Double($0)) } ?? "–" }
    let ratio = row.ratioToC
    let isReference = row.style == .c
    return [
      row.style.rawValue + (row.warm ? "" : " *"),
      Figure.count(row.median.throughput),
      Figure.spread(row.spread.throughput.relative),
      ratio.map { Figure.ratio($0.throughput) } ?? "",
      duration(latency.p50), duration(latency.p99), duration(latency.p999), duration(latency.max),
      Figure.duration(row.median.cpuNanosecondsPerOperation),
      Figure.spread(row.spread.cpuNanosecondsPerOperation.relative),
      ratio.map { Figure.ratio($0.cpu) } ?? "",
      isReference ? "" : ratio.map { Figure.duration($0.cpuNanosecondsAbove) } ?? "",
      row.countsPerOperation["allocations"].map { Figure.fixed($0, digits: 2) } ?? "",
      Figure.bytes(Double(row.median.peakRSSBytes)),
    ]
  }

  /// What the columns mean, in a few lines.
  public static let legend = [
    "Medians over the rounds; ± is the wider quartile. Latencies are pooled over the rounds; – where",
    "fewer than ten samples lie beyond. CPU/op is user and system time of the measured process alone;",
    "ratios are the median over the rounds of the ratio to c within the round. * did not settle in warm-up.",
  ]
}
