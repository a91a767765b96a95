extension RunCommand {
  /// `run --targets`: measures the cases that have targets, and prints each target beside the median of the
  /// ratio to c over the rounds. That takes half an hour. Instructions are counted under valgrind, where
  /// that is installed.
  func runTargets() throws {
    let targets = BenchMain.current.targets.filter { Glob.isChosen($0.workload, by: rows.workload) }
    guard !targets.isEmpty else { throw UsageError("no target for such a workload") }
    try output.checkWritable()
    let counted = quick ? [] : try cases(of: targets.filter { $0.quantity == .instructions })
    var measure = measure
    if !quick {
      // A process keeps the places that it got in memory and on the processors, and a connection how its two sides wait
      // for each other: the median of many is that of the machine, not of a draw.
      let rounds = measure.rounds ?? max(45, measure.processes ?? 0)
      (measure.rounds, measure.processes) = (rounds, measure.processes ?? min(9, rounds))
      measure.duration = measure.duration ?? 6
    }
    let plan = measure.plan(
      try cases(of: targets), quick: quick, budget: quick ? 90 : nil,
      counts: targets.contains { $0.quantity.countOfBytes != nil })
    let results = try SuiteRun.measure(plan, countingInstructionsOf: counted)
    let table = TargetTable(targets, results)
    try output.show(results, table, table.notes, section: table.section)
  }

  private func cases(of targets: [Target]) throws -> [SuitePlan.Case] {
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
}
