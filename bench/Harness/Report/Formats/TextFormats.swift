extension Results {
  var cases: [[RowResult]] { results.grouped { "\($0.workload) \($0.parameters)" } }

  var markdown: String {
    let figures: [RowFigure] = [
      .workload, .name, .throughput, .throughputRatio, .p50, .p99, .cpu, .cpuRatio, .aboveC, .allocations,
    ]
    let table = TextTable(RowFigure.table(results, figures), words: [0, 1]).markdown
    return "### Benchmark\n\n\(table)\n\(setting); \(date)\n" + (busy.map { "\n\($0)\n" } ?? "")
  }

  /// A table for a spreadsheet, by RFC 4180: a line for each round of each row. A column that nothing has a figure for is left out.
  var csv: String {
    let names = Set(results.flatMap(\.parameters.names)).sorted()
    let counters = Set(results.flatMap(\.countsPerOperation.keys)).subtracting([.marks]).sorted()
    let figures = [
      "round", "throughput", "cpu_ns_per_op", "user_ns_per_op", "system_ns_per_op", "p50_ns", "p90_ns",
      "p99_ns", "p99_9_ns", "max_ns", "peak_rss_bytes",
    ]
    var lines = [["workload", "revision", "style"] + names + figures + counters.map(\.rawValue)]
    for row in results {
      for (index, round) in row.rounds.enumerated() {
        let latency = round.latency
        let percentiles = [latency.p50, latency.p90, latency.p99, latency.p999, latency.max]
        lines.append(
          [row.workload, "\(row.revision)", row.style.rawValue]
            + names.map { name in row.parameters.value(name).map(String.init) ?? "" }
            + [
              "\(index + 1)", "\(round.throughput)", "\(round.cpuNanosecondsPerOperation)",
            ] + row.shares(of: [round]).map { $0.map { "\($0)" } ?? "" }
            + percentiles.map { $0.map(String.init) ?? "" } + ["\(round.peakRSSBytes)"]
            + counters.map { row.countsPerOperation[$0].map { "\($0)" } ?? "" })
      }
    }
    let used = lines[0].indices.filter { column in lines.dropFirst().contains { !$0[column].isEmpty } }
    lines = lines.map { line in used.map { line[$0] } }
    return lines.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\"" + text.flatMap { $0 == "\"" ? "\"\"" : String($0) } + "\""
  }

  /// JUnit's XML: a test for each row; one that did not settle or keep up is skipped.
  var junit: String {
    JUnit.document(
      suite: "benchmark", date: date,
      results.map { row in
        let seconds = row.rounds.reduce(0) { $0 + Double(row.operations) / max($1.throughput, 1e-9) }
        let cpu = Figure.duration(row.median.cpuNanosecondsPerOperation)
        return JUnit.Case(
          group: row.workload, name: row.id.description, seconds: seconds,
          result: row.saturated == true ? .skipped : .passed,
          text: row.saturated == true
            ? "saturated: it did not keep up with the rate"
            : "\(Figure.count(row.median.throughput)) operations per second, \(cpu) of CPU each")
      })
  }
}
