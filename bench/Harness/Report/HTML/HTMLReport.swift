/// Results as one page that needs nothing from the network: the table, bars of the ratio
/// to c, latency by percentile, how cost grows, and the history when there are several runs.
struct HTMLReport: Sendable {
  private let histories: [History]
  private let last: Results
  private let styles: [Style]
  private let sections: [Section]

  /// A page on the last of `runs`, with the others as its history, the oldest first; `sections` come after
  /// the chart.
  init(_ runs: [Results], sections: [Section] = []) {
    precondition(!runs.isEmpty, "a report needs results")
    self.init(runs[runs.count - 1], History.all(runs), sections: sections)
  }

  init(_ last: Results, _ histories: [History], sections: [Section]) {
    (self.histories, self.last, self.sections) = (histories, last, sections)
    styles = last.followed.map(\.id.style).unique()
  }

  var text: String {
    let sections =
      ([("ratio", "Processor time beside C", bars)] + self.sections.map { ($0.id, $0.title, $0.html) }
      + [
        ("table", "Results", tables),
        ("latency", "Latency by percentile", latencies), ("scale", "How cost grows", scaling),
        ("history", "History", history),
      ]).filter { !$0.2.isEmpty }
    let links = sections.map { "<a href=\"#\($0.0)\">\($0.1)</a>" }.joined(separator: " · ")
    let body = sections.map { "<section id=\"\($0.0)\"><h2>\($0.1)</h2>\($0.2)</section>" }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Benchmark \(XMLText.escaped(last.date))</title>
      <style>\(HTMLStyle.sheet)</style></head>
      <body><header><h1>Benchmark</h1>\(facts)<nav><p>\(links)</p></nav></header>
      <main>\(body.joined(separator: "\n"))</main></body></html>

      """
  }

  private var facts: String {
    let rounds = Figure.number(last.method.rounds, "interleaved round")
    let kind = last.gate == nil ? "\(rounds), medians with quartiles" : "a gate, beside the old program"
    let lines = ["\(last.date), \(kind)."] + Listing.environment(last)
    return lines.map { "<p class=\"facts\">\(XMLText.escaped($0))</p>" }.joined()
  }

  private func place(_ style: Style) -> Int { SeriesLook.place(style, among: styles) }

  private func grid(_ charts: [String], key: Bool = true) -> String {
    let charts = charts.filter { !$0.isEmpty }
    guard !charts.isEmpty else { return "" }
    let names = styles.map { (name: $0.rawValue, place: place($0)) }
    return (key ? SeriesLook.key(names) : "")
      + "<div class=\"charts\">\(charts.joined(separator: "\n"))</div>"
  }

  private var bars: String {
    let sentences = PlainSummary(last).sentences.map { "<li>\(XMLText.escaped($0))</li>" }
    return charts + (sentences.isEmpty ? "" : "<ul>\(sentences.joined())</ul>")
  }

  private var charts: String {
    grid(
      last.cases.filter { rows in rows.count > 1 && rows.contains { $0.ratioToC != nil } }.map { rows in
        BarChart(
          title: rows[0].workload, note: rows[0].parameters.description,
          bars: rows.compactMap { row in
            guard let ratio = row.ratioToC, row.hasEnoughForARatio else { return nil }
            let spread = row.spread.cpuNanosecondsPerOperation
            let middle = max(spread.median, 1e-9)
            return (
              row.style.rawValue, place(row.style), ratio.cpu, ratio.cpu * spread.q1 / middle,
              ratio.cpu * spread.q3 / middle
            )
          }
        ).svg
      }, key: false)
  }

  private var tables: String {
    let figures: [RowFigure] = [
      .style, .throughput, .throughputSpread, .throughputRatio, .p50, .p99, .p999, .max, .cpu, .cpuSpread,
      .cpuRatio, .aboveC, .allocations, .systemCalls, .jobs, .memory,
    ]
    return last.cases.map { rows in
      let open = rows[0].arrivals.map { " · open loop at \(Figure.count($0.rate))/s" } ?? ""
      return "<h3>\(XMLText.escaped(rows[0].workload))"
        + " <span class=\"faint\">\(XMLText.escaped(rows[0].parameters.description + open))</span></h3>"
        + Section.table(RowFigure.table(rows, figures))
    }.joined(separator: "\n")
  }

  private var latencies: String { grid(last.cases.map { latencyChart($0) }) }

  /// HdrHistogram's axis: each nine more takes as much room as the one before.
  private func latencyChart(_ rows: [RowResult]) -> String {
    let series = rows.compactMap { row -> Series? in
      let total = row.histogram.total
      guard total >= 100, row.saturated != true else { return nil }
      // No point has fewer than ten values beyond it.
      let points = LatencyHistogram(row.histogram).points.filter {
        Double(total) * (1 - $0.share) >= 10 && $0.value > 0
      }
      guard points.count > 1 else { return nil }
      return Series(
        name: row.style.rawValue, place: place(row.style),
        points: points.map { (1 / (1 - $0.share), Double($0.value)) })
    }
    let values = series.flatMap(\.points)
    guard let furthest = values.map(\.x).max() else { return "" }
    let marks: [LineChart.Tick] = [
      (1, "0"), (2, "50"), (10, "90"), (100, "99"), (1e3, "99.9"), (1e4, "99.99"), (1e5, "99.999"),
    ]
    let open = rows[0].arrivals.map { ", open loop at \(Figure.count($0.rate))/s" } ?? ""
    return LineChart(
      title: rows[0].workload, note: "\(rows[0].parameters)\(open) · percentile, logarithmic",
      series: series,
      xTicks: marks.filter { $0.at <= furthest * 1.001 },
      yTicks: LineChart.logarithmicTicks(values.map(\.y)) { Figure.duration($0) },
      xScale: { log10($0) }, yScale: { log10($0) }, marksPoints: false
    ).svg
  }

  private var scaling: String {
    grid(
      last.results.grouped(by: \.workload).flatMap { rows in
        rows[0].parameters.names.flatMap { scalingCharts(rows, along: $0) }
      })
  }

  /// A chart for each set of the other parameters.
  private func scalingCharts(_ rows: [RowResult], along name: String) -> [String] {
    let groups = Dictionary(grouping: rows) { row in
      row.parameters.names.filter { $0 != name }.map { "\($0)=\(row.parameters[$0])" }
        .joined(separator: " ")
    }
    return groups.sorted { $0.key < $1.key }.compactMap { others, rows in
      let values = Set(rows.map { $0.parameters[name] }).sorted()
      guard values.count > 1 else { return nil }
      let series = styles.compactMap { style -> Series? in
        let points = rows.filter { $0.style == style }.sorted { $0.parameters[name] < $1.parameters[name] }
          .map { (Double($0.parameters[name]), $0.median.cpuNanosecondsPerOperation) }
        return points.isEmpty ? nil : Series(name: style.rawValue, place: place(style), points: points)
      }
      return LineChart(
        title: rows[0].workload,
        note: "processor time per operation by \(name)" + (others.isEmpty ? "" : ", \(others)"),
        series: series,
        xTicks: values.map { (Double($0), Figure.whole($0)) },
        yTicks: LineChart.logarithmicTicks(series.flatMap(\.points).map(\.y)) { Figure.duration($0) },
        xScale: { SeriesLook.logarithm($0) }, yScale: { log10($0) }
      ).svg
    }
  }

  /// A part for each machine and version; runs of different ones are never joined.
  private var history: String {
    let histories = histories.filter { $0.runs.count > 1 }
    let parts = histories.map { history in
      (histories.count > 1 ? "<h3>\(XMLText.escaped(history.newest.setting))</h3>" : "")
        + grid(history.charts(styles)) + history.list
    }
    guard !parts.isEmpty else { return "" }
    return "<p>A dashed vertical line marks where a level changes.</p>" + parts.joined(separator: "\n")
  }
}
