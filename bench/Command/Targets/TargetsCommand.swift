import ArgumentParser
import BenchKit

/// `targets`: what is to be reached, beside what is.
struct TargetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "targets", abstract: "Print each target beside what is measured.",
    discussion: """
      Measures the cases that have targets, and prints for each style the target,
      the median of the ratio to c over the rounds, its quartiles, and whether it
      is met. Instructions are counted under valgrind, where that is installed.

      Examples:
        uvbench targets                  at least seven interleaved rounds
        uvbench targets -w tcp-echo -o targets.html
        uvbench targets results.json     what `run --json` has written

      Exit codes: 0 done (targets that are missed inform), 2 wrong use or a file
      that cannot be used, 3 the work was wrong or a worker died.
      """)

  @Argument(help: "A file written with `run --json` or `targets --json`, to be judged instead of measuring.")
  var results: String?

  @Flag(help: "Three short rounds and fewer timers, to see that all works.")
  var quick = false

  @Option(name: .shortAndLong, help: "Only workloads whose name fits. Repeatable.")
  var workload: [String] = []

  @OptionGroup var measure: MeasureOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let targets = BenchMain.current.targets.filter { Glob.isChosen($0.workload, by: workload) }
    guard !targets.isEmpty else { throw UsageError("no target for such a workload") }
    try output.checkWritable()
    let results = try results.map(ResultsFile.read) ?? measured(targets)
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
