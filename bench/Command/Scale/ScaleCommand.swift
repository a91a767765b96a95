import ArgumentParser
import BenchKit

/// `scale`: how cost grows.
struct ScaleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale", abstract: "Raise one parameter at a time, and tell whether a ratio to c grows.",
    discussion: """
      The echo with more and more connections, with larger and larger messages, and
      on two loops: processor time, latency and memory of each style beside c, and
      a verdict for each. Then arrivals at half of what c can do, and the p99 of
      each style beside c's.

      Examples:
        uvbench scale --quick
        uvbench scale --json scale.json -o scale.html
        uvbench scale --style async

      Exit codes: 0 done (verdicts inform), 2 wrong use or a file that cannot be
      used, 3 the work was wrong or a worker died.
      """)

  @Flag(help: "Fewer points and three short rounds.")
  var quick = false

  @Option(name: .shortAndLong, help: "Only this style, beside c. Repeatable.")
  var style: [String] = []

  @OptionGroup var measure: MeasureOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let scaling = BenchMain.current.scaling else {
      throw UsageError("this program has no workload to scale")
    }
    try output.checkWritable()
    let others = scaling.workload.styles.filter { $0 != .c }
    if let unknown = style.first(where: { name in !scaling.workload.styles.contains { $0.rawValue == name } })
    {
      throw UsageError(
        "there is no style `\(unknown)` to scale; there are \(others.map(\.rawValue).joined(separator: ", "))"
      )
    }
    let chosen = scaling.workload.styles.filter { $0 == .c || style.isEmpty || style.contains($0.rawValue) }
    guard chosen.count > 1 else {
      throw UsageError("c is beside all others; choose of \(others.map(\.rawValue).joined(separator: ", "))")
    }
    let cases = scaling.cases(styles: chosen, quick: quick, limit: limit(scaling))
    var results = try SuiteRun.measure(measure.plan(cases, quick: quick, budget: 120))
    let open = SuitePlan.Case(
      workload: scaling.workload, parameters: ParameterValues(scaling.latency), styles: chosen)
    let latency = try SuiteRun.measure(
      measure.plan([open], quick: quick, budget: 60, load: .shareOfPeak(0.5, isPoisson: false)))
    let table = ScaleTable(scaling, results)
    let verdicts = LatencyVerdict.lines(latency.results).map { $0 + ", at half of c's peak" }
    for line in table.text + [""] + table.verdicts + [""] + verdicts { print(line) }
    for line in Listing.environment(results) { print(line) }
    results.results += latency.results
    try output.write(results, markdown: table.markdown, sections: [table.section(notes: verdicts)])
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
