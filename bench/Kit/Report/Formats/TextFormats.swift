extension Results {
  /// The cases, in the order of the run.
  public var cases: [[RowResult]] {
    results.grouped { "\($0.workload) \($0.parameters)" }
  }

  /// A comment on a pull request.
  var markdown: String {
    let columns: [RowFigures.Column] = [
      ("workload", \.workload), ("style", \.name), ("ops/s", \.throughput), ("ops/s vs c", \.throughputRatio),
      ("p50", \.p50), ("p99", \.p99), ("CPU/op", \.cpu), ("CPU vs c", \.cpuRatio), ("above c", \.aboveC),
      ("allocs/op", \.allocations),
    ]
    var table = RowFigures.table(results, columns).map {
      "| " + $0.map(Self.cell).joined(separator: " | ") + " |"
    }
    table.insert("|---|---" + String(repeating: "|--:", count: columns.count - 2) + "|", at: 1)
    let lines = ["### Benchmark", ""] + table + ["", place] + (busy.map { ["", $0] } ?? []) + [""]
    return lines.joined(separator: "\n")
  }

  private static func cell(_ text: String) -> String {
    String(text.flatMap { $0 == "|" ? "\\|" : String($0) })
  }

  /// A table for a spreadsheet, by RFC 4180: a line for each round of each row.
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
              "\(round.userNanosecondsPerOperation)", "\(round.systemNanosecondsPerOperation)",
            ] + percentiles.map { $0.map(String.init) ?? "" } + ["\(round.peakRSSBytes)"]
            + counters.map { row.countsPerOperation[$0].map { "\($0)" } ?? "" })
      }
    }
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
