import BenchKit

/// `run --targets`: measures the cases that have targets, and prints each target beside the median of the ratio to c over the
/// rounds. Instructions are counted under valgrind, where that is installed.
struct TargetRun {
  var workload: [String]
  var quick: Bool
  var measure: MeasureOptions
  var output: OutputOptions

  func run() throws {
    let targets = BenchMain.current.targets.filter { Glob.isChosen($0.workload, by: workload) }
    guard !targets.isEmpty else { throw UsageError("no target for such a workload") }
    try output.checkWritable()
    let results = try measured(targets)
    let table = TargetTable(targets, results)
    for line in table.text + [""] + table.notes + Listing.environment(results) { print(line) }
    try output.write(results, markdown: table.markdown, sections: [table.section])
  }

  private func measured(_ targets: [Target]) throws -> Results {
    func cases(_ targets: [Target]) throws -> [SuitePlan.Case] {
      var seen: Set<WorkloadID> = []
      return try targets.flatMap { target in
        try SuitePlan.cases(
          BenchMain.current.workloads, patterns: [target.workload],
          styles: [.c] + Style.all.filter { target.bounds[$0] != nil },
          overrides: target.parameters.mapValues { [$0] }.merging(
            target.base.mapValues { [$0] }, uniquingKeysWith: +),
          quick: quick)
      }.filter { seen.insert($0.id(.c)).inserted }
    }
    let counted = quick ? [] : try cases(targets.filter { $0.quantity == .instructions })
    return try SuiteRun.measure(
      measure.plan(
        try cases(targets), quick: quick, budget: 90, counts: targets.contains { $0.quantity == .bytes }),
      countingInstructionsOf: counted)
  }
}
