/// What the project's front page says of its speed: a chart for each workload, and a table.
public struct FrontPage {
  public let charts: [(name: String, text: String)]
  /// What stands between the marks of the page.
  public let markdown: String

  /// The comment before the part that is written by a program, and the one after it.
  private static let marks = ("<!-- uvbench -->\n", "<!-- /uvbench -->")

  /// The part of `results`, in which `peers` took part; the charts lie in `folder`, as seen from the page. Notes on
  /// workloads, by name, stand below the table.
  public init(_ results: Results, peers: [Peer], notes: [String: String] = [:], folder: String) {
    let table = PeerTable(results.results, peers: peers)
    let about = Dictionary(peers.map { ($0.row, $0.about) }) { first, _ in first }
    func name(_ row: Style) -> String {
      row == .c ? "C on libuv" : about[row] ?? "swift-uv, \(row.rawValue)"
    }
    func isOurs(_ row: Style) -> Bool { Style.all.contains(row) && row != .c }
    charts = table.workloads.compactMap { workload in
      let rows = table.lines.filter { $0.ratios[workload] != nil }
        .sorted { $0.ratios[workload] ?? 0 < $1.ratios[workload] ?? 0 }
      // There are none where too little could be measured.
      guard !rows.isEmpty else { return nil }
      let chart = BarChart(
        title: workload, note: "processor time for an operation, C on libuv = 1; less is better",
        bars: rows.map { line in
          let ratio = line.ratios[workload] ?? 0
          // The library in its colour, the others in grey.
          return (name(line.row), isOurs(line.row) ? 1 : 0, ratio, ratio, ratio)
        })
      return (workload.replacing(" ", with: "-") + ".svg", chart.file)
    }
    var lines = ["| processor time, C = 1 | " + table.workloads.joined(separator: " | ") + " |"]
    lines.append("|---|" + table.workloads.map { _ in "--:|" }.joined())
    for line in table.lines {
      let cells = table.workloads.map { line.ratios[$0].map { Figure.fixed($0, digits: 2) } ?? "–" }
      let title = isOurs(line.row) ? "**\(name(line.row))**" : name(line.row)
      lines.append("| \(title) | " + cells.joined(separator: " | ") + " |")
    }
    let first = charts.first.map { "![Processor time for an operation](\(folder)/\($0.name))\n\n" } ?? ""
    let rounds = Figure.number(results.method.rounds, "round")
    let below = table.workloads.compactMap { name in notes[name].map { "\n\nIn `\(name)`, \($0)." } }
    markdown =
      first + lines.joined(separator: "\n") + below.joined()
      + "\n\nMeasured on \(results.date.prefix(10)) with `uvbench peers`, \(rounds): "
      + "\(results.machine.cpu), \(results.machine.cores) processors; Swift \(results.swift), libuv \(results.libuv). "
      + "[How](bench/peers/README.md), and a chart for each workload in [\(folder)](\(folder)).\n"
      + (results.busy.map { "\n" + $0 + "\n" } ?? "")
  }

  /// `page` with the part between the marks replaced.
  public func inserted(into page: String) throws -> String {
    guard let start = page.firstRange(of: Self.marks.0),
      let end = page[start.upperBound...].firstRange(of: Self.marks.1)
    else { throw UsageError("the page has no lines `\(Self.marks.0.dropLast())` and `\(Self.marks.1)`") }
    return page[..<start.upperBound] + markdown + page[end.lowerBound...]
  }
}
