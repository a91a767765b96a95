import CBenchSupport

/// A plan carried out, from the first worker to the results, as every command does it.
struct SuiteRun {
  var plan: SuitePlan
  /// Where the load comes from or goes to, if that isn't usual; see `Results.Method`.
  var load: String?
  /// Instructions of rows by their full names, where they were counted before.
  var instructions: [String: CountFigure] = [:]
  /// Receives the rows of each case when it is done.
  var report: ([RowResult]) -> Void = { rows in
    for line in ResultTable.lines(rows) + Listing.note(rows) + [""] { print(line) }
    fflush(nil)
  }

  /// Carries a plan out with workers of this program, and counts the instructions of some of its cases.
  static func measure(
    _ plan: SuitePlan, countingInstructionsOf counted: [SuitePlan.Case] = []
  ) throws -> Results {
    let workers = try Workers()
    var instructions: [String: CountFigure] = [:]
    if !counted.isEmpty, InstructionCounter.isAvailable {
      instructions = try InstructionCounter(workers).count(counted)
    }
    return try SuiteRun(plan: plan, instructions: instructions).results { _ in try workers.start() }
  }

  /// Measures everything; `startWorker` starts a fresh process for a row.
  func results(_ startWorker: @escaping (WorkloadID) throws -> any RowWorker) throws -> Results {
    let machine = Machine.current()
    let date = Date()
    let others = OtherPrograms()
    // Made now, since its budget of time begins now.
    let runner = SuiteRunner(plan, progress: Progress(), startWorker: startWorker)
    let rows = try runner.run(report)
    let names =
      runner.leftOut.map { "\($0.workload.name) \($0.parameters)" }
      + runner.leftOutRows.map { "\($0.style) in \($0.workload) \($0.parameters)" }
    if !names.isEmpty {
      print(
        "Left out, for want of time: \(names.joined(separator: ", ")). A longer --time-budget measures them, too.\n"
      )
    }
    return Results(
      date: date.formatted(.iso8601), machine: machine, libuv: runner.libraries["libuv"] ?? "",
      swift: Machine.swiftVersion,
      method: Results.Method(
        rounds: plan.rounds, processes: plan.processes == 1 ? nil : plan.processes,
        windowNanoseconds: plan.window, commit: Self.commit, build: Machine.build,
        threadPool: Int(Workers.threads) ?? 4, pinnedApart: bench_can_pin() != 0 && bench_usable_cpus() > 1,
        load: load, othersBusy: others.busy, stolen: others.stolen),
      results: rows.map { $0.adding(instructions) })
  }

  /// The commit of the working directory, and whether it has changes.
  static var commit: String {
    let commit = Executable.firstLine(of: "git rev-parse --short=12 HEAD")
    guard !commit.isEmpty else { return "" }
    let changes = Executable.firstLine(of: "git status --porcelain --untracked-files=no | head -n 1")
    return commit + (changes.isEmpty ? "" : "+changes")
  }
}

extension RowResult {
  func adding(_ instructions: [String: CountFigure]) -> RowResult {
    guard let figure = instructions[id.description] else { return self }
    var row = self
    row.countsPerOperation[.instructions] = figure.value
    return row
  }
}
