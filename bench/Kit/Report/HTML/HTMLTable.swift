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
    let head = titles.map { "<th scope=\"col\">\($0)</th>" }.joined()
    let body = rows.map { row in
      let cells = cells(row).map { "<td>\(XMLText.escaped($0))</td>" }.joined()
      return "<tr>\(cells)</tr>"
    }
    return "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>\(head)</tr></thead>"
      + "<tbody>\(body.joined())</tbody></table></div>"
  }

  private func cells(_ row: RowResult) -> [String] {
    let latency = row.pooledLatency
    func duration(_ value: UInt64?) -> String { value.map { Figure.duration(Double($0)) } ?? "–" }
    func count(_ name: String) -> String {
      row.countsPerOperation[name].map { Figure.fixed($0, digits: 2) } ?? ""
    }
    let spread = row.spread
    return [
      row.style.rawValue + (row.warm ? "" : " *") + (row.saturated == true ? " saturated" : ""),
      Figure.count(row.median.throughput), Figure.spread(spread.throughput.relative),
      row.ratioToC.map { Figure.ratio($0.throughput) } ?? "",
      duration(latency.p50), duration(latency.p99), duration(latency.p999), duration(latency.max),
      Figure.duration(row.median.cpuNanosecondsPerOperation),
      Figure.spread(spread.cpuNanosecondsPerOperation.relative),
      row.ratioToC.map { Figure.ratio($0.cpu) } ?? "",
      row.style == .c ? "" : row.ratioToC.map { Figure.duration($0.cpuNanosecondsAbove) } ?? "",
      count("allocations"), count("system_calls"), count("jobs"),
      Figure.bytes(Double(row.median.peakRSSBytes)),
    ]
  }
}
