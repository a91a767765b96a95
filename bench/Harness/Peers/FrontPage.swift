/// What the project's front page says of its speed: a chart, a number, and a table of few rows. The page of
/// all results has the other rows and workloads.
struct FrontPage {
  /// That of the first workload; there is none if too little could be measured.
  let chart: (name: String, text: String)?
  /// What stands between the marks of the page.
  let markdown: String
  /// The page beside the charts.
  let results: String

  /// The comment before the part that is written by a program, and the one after it.
  private static let marks = ("<!-- uvbench -->\n", "<!-- /uvbench -->")

  /// The pages of `results`, in which `peers` took part. The chart lies in `folder`, as seen from the front page.
  /// Notes on workloads, by name, stand below the tables. `workloads` are those by which a reader chooses, in this order; the
  /// page of all results has the others, such as those that show a style's own cost.
  init(
    _ results: Results, peers: [Peer], notes: [String: String] = [:],
    workloads: [String] = Array(BenchMain.quickNames.prefix(5)), folder: String
  ) {
    let table = PeerTable(results.results, peers: peers)
    let known = Dictionary(peers.map { ($0.row, $0) }) { first, _ in first }
    func name(_ row: Style) -> String {
      row == .c ? "C on libuv" : known[row]?.about ?? "swift-uv, \(row.rawValue)"
    }
    func isOurs(_ row: Style) -> Bool { Style.all.contains(row) && row != .c }
    func markdown(_ lines: [PeerTable.Line], _ workloads: [String], as titles: [String]) -> String {
      let rows = lines.filter { line in workloads.contains { line.ratios[$0] != nil } }.map { line in
        [isOurs(line.row) ? "**\(name(line.row))**" : name(line.row)]
          + workloads.map { line.ratios[$0].map { Figure.fixed($0, digits: 2) } ?? "–" }
      }
      let below = titles.compactMap { name in notes[name].map { "\nIn `\(name)`, \($0).\n" } }
      let head = ["processor time, C on libuv = 1"] + titles
      return TextTable([head] + rows, words: [0]).markdown + below.joined()
    }
    func drawn(_ workload: String) -> (name: String, text: String)? {
      let rows = table.lines.filter { $0.ratios[workload] != nil }
        .sorted { $0.ratios[workload] ?? 0 < $1.ratios[workload] ?? 0 }
      guard !rows.isEmpty else { return nil }
      let chart = BarChart(
        title: workload, note: "processor time for an operation, C on libuv = 1; less is better",
        bars: rows.map { line in
          let ratio = line.ratios[workload] ?? 0
          // The library in its colour, C and the others in grey.
          return (
            name(line.row), isOurs(line.row) ? 1 : line.row == .c ? 0 : Style.all.count, ratio, ratio, ratio
          )
        })
      return (workload.replacing(" ", with: "-") + ".svg", chart.file)
    }
    func image(_ path: String) -> String { "![Processor time for an operation](\(path))\n" }
    let rounds = Figure.number(results.method.rounds, "round")
    let measured =
      "\nMeasured on \(results.date.prefix(10)) with `uvbench peers`, \(rounds): \(results.setting).\n"
      + (results.busy.map { "\n\($0)\n" } ?? "")
    // A workload that was measured with several parameters has a column for each, the simplest first.
    func column(of workload: String) -> String? {
      table.workloads.first { $0 == workload || $0.hasPrefix(workload + " ") }
    }
    let measuredOnFrontPage = workloads.filter { column(of: $0) != nil }
    let titles = measuredOnFrontPage.isEmpty ? table.workloads : measuredOnFrontPage
    let onFrontPage = titles.compactMap(column)
    chart = onFrontPage.first.flatMap(drawn)
    let best = onFrontPage.first.flatMap { workload in
      table.lines.first { $0.row == .async }?.ratios[workload].map {
        "\nIn `\(workload)`, async/await takes **\(Figure.fixed($0, digits: 2))** of the processor time of C.\n"
      }
    }
    self.markdown =
      (chart.map { image("\(folder)/\($0.name)") } ?? "") + (best ?? "") + "\n"
      + markdown(
        table.lines.filter { isOurs($0.row) || known[$0.row]?.isOnFrontPage == true }, onFrontPage, as: titles
      )
      + measured
      + "\n[The other programs, and the other workloads](\(folder)/README.md); [how](bench/peers/README.md).\n"
    self.results =
      "# Processor time beside C and others\n\n" + markdown(table.lines, table.workloads, as: table.workloads)
      + measured
  }

  /// `page` with the part between the marks replaced.
  func inserted(into page: String) throws -> String {
    guard let start = page.firstRange(of: Self.marks.0),
      let end = page[start.upperBound...].firstRange(of: Self.marks.1)
    else { throw UsageError("the page has no lines `\(Self.marks.0.dropLast())` and `\(Self.marks.1)`") }
    return page[..<start.upperBound] + markdown + page[end.lowerBound...]
  }
}
