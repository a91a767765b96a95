extension GateCommand {
  /// Measures programs that others wrote against each other.
  func runOutside(_ head: Workers, _ report: inout GateReport) throws {
    let rivals = outside.rivals(
      connections: rows.connections?.values.first, directory: head.directory,
      requests: try outside.requests.read())
    report.base["figures"] = rivals.base
    (report.name, report.commit) = (outside.name ?? rivals.base, SuiteRun.commit)
    let figures = outside.judge.isEmpty ? Set(OutsideFigure.allCases) : Set(outside.judge)
    let gate = OutsideGate(
      figures: figures, smallest: outside.smallest / 100, delay: outside.smallestDelay.map { $0 * 1e6 },
      seed: seed ?? .random(in: 0...UInt64.max),
      budget: timeBudget, progress: Progress())
    let others = OtherPrograms()
    let start = ProcessUsage.now().wall
    report.figures = try gate.run(rivals)
    print("old: \(rivals.base)")
    print("new: \(rivals.head)")
    let rows = report.figures.map(\.cells)
    for line in TextTable([FigureRow.head] + rows, words: [0, 4]).text { print(line) }
    for row in report.figures where row.figure == .p99 && row.outcome != .regressed {
      print(
        row.pairs > 0
          ? row.reach?.sentence ?? ""
          : "p99: judged from 1,000 requests in --latency-seconds on; --smallest-delay MS takes as many as it needs"
      )
    }
    let pairs = report.figures.map(\.pairs).max() ?? 0
    let seconds = Double(ProcessUsage.now().wall - start) / 1e9
    var last =
      "\(Figure.number(pairs, "pair")) of fresh processes, \(Figure.fixed(seconds, digits: 0)) s; intervals of 99 %"
    if let busy = others.busy {
      last += "; other programs kept \(Figure.fixed(busy, digits: 1)) processors busy"
    }
    print(last)
    if counts { try countOutside(rivals, head.directory, &report) }
  }

  /// Counts what a request or a run of both costs.
  private func countOutside(_ rivals: any Rivals, _ directory: String, _ report: inout GateReport) throws {
    for program in OutsideCounts.missing {
      print("not counted: what \(program) counts, which is not installed")
    }
    let start = ProcessUsage.now().wall
    let counter = OutsideCounts(
      directory: directory, server: (rivals as? ServerRivals)?.options, progress: Progress())
    let old = try counter.count(rivals.base, label: "old")
    let new = try counter.count(rivals.head, label: "new")
    let id = rivals.isServer ? "counts per request" : "counts per run"
    var row = CountsRule.judge(base: [id: old], head: [id: new]) { _ in true }[0]
    row.seconds = Double(ProcessUsage.now().wall - start) / 1e9
    report.counts = [row]
    for counter in old.keys.sorted() {
      guard let one = old[counter], let other = new[counter] else { continue }
      let steady = CountsRule.isSteady(counter, in: old) ? "" : "  (depends on timing, not judged)"
      print("\(counter): \(one.text) → \(other.text)\(steady)")
    }
    for line in GateText.lines(row) { print(line) }
  }
}

extension CountFigure {
  fileprivate var text: String {
    Figure.fixed(value, digits: 2) + " (±" + Figure.fixed(range / 2, digits: 2) + ")"
  }
}
