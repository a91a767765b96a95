extension RunCommand {
  /// `run --scale`: raises one parameter at a time, and says whether a ratio to c grows. Then come arrivals
  /// at half of what c can do, and the p99 of each style beside c's.
  func runScale() throws {
    guard let scaling = BenchMain.current.scaling else {
      throw UsageError("this program has no workload to scale")
    }
    let chosen = try styles(toScale: scaling.workload.styles)
    try output.checkWritable()
    let cases = scaling.cases(styles: chosen, quick: quick, limit: limit(scaling))
    var results = try SuiteRun.measure(measure.plan(cases, quick: quick, budget: quick ? 120 : nil))
    let open = SuitePlan.Case(
      workload: scaling.workload, parameters: ParameterValues(scaling.latency), styles: chosen)
    let latency = try SuiteRun.measure(
      measure.plan([open], quick: quick, budget: quick ? 60 : nil, load: .shareOfPeak(0.5, isPoisson: false)))
    let table = ScaleTable(scaling, results)
    let verdicts = LatencyVerdict.lines(latency.results).map { $0 + ", at half of c's peak" }
    results.results += latency.results
    try output.show(results, table, table.verdicts + [""] + verdicts, section: table.section(notes: verdicts))
  }

  /// Those that were asked for, beside c.
  private func styles(toScale all: [Style]) throws -> [Style] {
    let names = all.filter { $0 != .c }.map(\.rawValue).joined(separator: ", ")
    if let unknown = rows.style.first(where: { name in !all.contains { $0.rawValue == name } }) {
      throw UsageError("there is no style `\(unknown)` to scale; there are \(names)")
    }
    let chosen = all.filter { $0 == .c || rows.style.isEmpty || rows.style.contains($0.rawValue) }
    guard chosen.count > 1 else { throw UsageError("c is beside all others; choose of \(names)") }
    return chosen
  }

  /// How many connections a process may hold. It says so when that is fewer than are wanted.
  private func limit(_ scaling: Scaling) -> Int {
    guard let limit = DescriptorLimit.current else { return 1000 }
    let wanted = scaling.axes.filter { $0.parameter == scaling.descriptors }.flatMap(\.values).max() ?? 0
    if limit.spare < wanted {
      print(
        "RLIMIT_NOFILE is \(limit.hard): \(limit.spare) \(scaling.descriptors) at most, not"
          + " \(Figure.whole(wanted))")
    }
    return limit.spare
  }
}
