import ArgumentParser

struct MeasureOptions: ParsableArguments {
  @Option(
    help:
      "Seconds to measure each row, over all rounds. (default: 3, targets 6, open loop 10, quick less)"
  )
  var duration: Double?

  @Option(help: "Rounds; rows take turns. (default: 7, targets 45, quick 5)")
  var rounds: Int?

  @Option(
    help:
      "Processes of each row, one after another; they share its rounds. (default: 1, targets 9)")
  var processes: Int?

  @Option(
    help:
      "Seconds that all may take: rounds get shorter, then fewer, three at least; then workloads and peers are left out, by name."
  )
  var timeBudget: Double?

  func validate() throws {
    try Limits.check(duration, "--duration", upTo: Limits.seconds)
    try Limits.check(timeBudget, "--time-budget", upTo: Limits.seconds)
    try Limits.check(rounds, "--rounds")
    try Limits.check(processes, "--processes")
    if let processes, let rounds, processes > rounds {
      throw ValidationError(
        "\(processes) processes can't share \(rounds) --rounds: ask for \(processes) at least")
    }
  }

  /// A plan for `cases`, which takes `budget` seconds at most unless --time-budget says otherwise.
  func plan(
    _ cases: [SuitePlan.Case], quick: Bool, budget: Double?, counts: Bool = false,
    load: SuitePlan.Load = .closed
  ) -> SuitePlan {
    let processes = processes ?? 1
    let rounds = rounds ?? max(quick ? 5 : SuitePlan.usualRounds, processes)
    let usual = load == .closed ? (quick ? 0.5 : 3.0) : (quick ? 1.5 : 10)
    return SuitePlan(
      cases: cases, rounds: rounds, processes: processes, window: (duration ?? usual) * 1e9 / Double(rounds),
      warmUp: quick ? 0.12e9 : 2e9, budget: (timeBudget ?? budget).map { $0 * 1e9 }, counts: counts,
      load: load
    ).fitted
  }
}

struct OutputOptions: ParsableArguments {
  @Option(help: "Where to write the results as JSON: a file or, for a file of its own, a folder/.")
  var json: String?

  @Option(name: .shortAndLong, help: "Where to write a page with charts, or a table if it ends in .md.")
  var output: String?

  func checkWritable() throws {
    if let json { try ResultsFile.checkWritable(json) }
    if let output { try AtomicFile.checkWritable(output) }
  }

  /// Prints what was found and what it says in words, and writes what was asked for.
  func show(
    _ results: Results, _ table: some Tabular, _ words: [String], section: HTMLReport.Section
  ) throws {
    for line in table.text + [""] + words + Listing.environment(results) { print(line) }
    try write(results, markdown: table.markdown, sections: [section])
  }

  /// Writes what was asked for; the page has `sections` before its own.
  func write(_ results: Results, markdown: String, sections: [HTMLReport.Section] = []) throws {
    if let json {
      try ResultsFile.write(results, to: json, date: results.date, commit: results.method.commit)
    }
    guard let output else { return }
    let isTable = output.hasSuffix(".md")
    try AtomicFile.write(isTable ? markdown : HTMLReport([results], sections: sections).text, to: output)
  }
}
