/// The table of the page.
struct HTMLTable {
  private let results: Results

  init(_ results: Results) { self.results = results }

  /// A table for each case.
  var text: String {
    results.cases.map { rows in
      let parameters = rows[0].parameters.description
      let open = rows[0].arrivals.map { " · open loop at \(Figure.count($0.rate))/s" } ?? ""
      return "<h3>\(XMLText.escaped(rows[0].workload))"
        + " <span class=\"faint\">\(XMLText.escaped(parameters + open))</span></h3>" + table(rows)
    }.joined(separator: "\n")
  }

  private func table(_ rows: [RowResult]) -> String {
    let titles = [
      "style", "ops/s", "±", "ops/s vs c", "p50", "p99", "p99.9", "max", "CPU/op", "±", "CPU vs c", "above c",
      "allocs/op", "calls/op", "jobs/op", "peak RSS",
    ]
    return HTMLReport.Section.table([titles] + rows.map(cells))
  }

  private func cells(_ row: RowResult) -> [String] {
    let figures = RowFigures(row)
    return [
      figures.style, figures.throughput, figures.throughputSpread, figures.throughputRatio,
      figures.latency(\.p50), figures.latency(\.p99), figures.latency(\.p999), figures.latency(\.max),
      figures.cpu, figures.cpuSpread, figures.cpuRatio, figures.aboveC, figures.count(.allocations),
      figures.count(.systemCalls), figures.count(.jobs), figures.memory,
    ]
  }
}
