import ArgumentParser

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Fail when a change made something slower or costlier; say so when it cannot be told.",
    discussion: """
      Two layers. Counts (allocations, system calls, jobs) are compared with a
      committed file. Times are compared with another build of the program, side by
      side: a stored time is never a gate.

      Servers of your own, in any language:
        uvbench gate --server 'node old.js' --server 'node new.js' \\
          --load 'http://127.0.0.1:{port}/'
      starts both, again and again, with the variable PORT or {port} for the port,
      has them answer the same requests at the same time on the same processor, and
      says which figures became worse. It takes a minute. For programs that end:
        uvbench gate --command './old < input' --command './new < input'

      Examples:
        uvbench gate --counts            the rows of bench/baselines, counted again
        uvbench gate --counts --update   write them there, to be committed;
                                         with -w NAME, another workload too
        uvbench gate --against origin/main
                                         build the merge base beside this and
                                         compare times
        uvbench gate --base-bin old/uvbench -w 'tcp-*'
                                         compare with an earlier build
        uvbench gate selftest --quick    how often the gate itself is wrong

      Exit codes: 0 no regression, or none that can be told; 1 regression; 2 wrong
      use or a file that cannot be used; 3 the work was wrong or a worker died; 4
      not comparable; 5 it cannot be told, with --strict. The files of --json,
      --markdown and --junit are written whatever the code is, but for one of wrong
      use.
      """)

  @Flag(
    help: """
      Compare counts with the committed file. With --server or --command: count both, by valgrind and strace as far as they are \
      there, which takes some minutes.
      """)
  var counts = false

  @Flag(help: "With --counts: count instructions too, under valgrind.")
  var instructions = false

  @Flag(help: "Write the counts to the file instead of comparing with it.")
  var update = false

  @Option(help: "Where the files of counts are.")
  var baselines = Self.usualBaselines

  private static let usualBaselines = "bench/baselines"

  @OptionGroup var base: BaseOptions

  @OptionGroup(title: "Programs of your own")
  var outside: OutsideOptions

  @OptionGroup(title: "Rows")
  var rows: CaseOptions

  @Flag(help: "End with code 5 when it cannot be told.")
  var strict = false

  @Option(help: "Seconds that the comparison of times may take; rows that are not reached are inconclusive.")
  var timeBudget: Double?

  @Option(help: "What coins and data follow from. (default: another one each time)")
  var seed: UInt64?

  @Option(help: "Where to write the findings as JSON: a file or, for a file of its own, a folder/.")
  var json: String?

  @Option(help: "Where to write them as a comment on a pull request.")
  var markdown: String?

  @Option(help: "Where to write them as JUnit's XML.")
  var junit: String?

  @OptionGroup(title: "To test the gate")
  var injections: InjectionOptions

  func validate() throws {
    guard counts || update || base.isGiven || outside.isGiven else {
      throw ValidationError(
        "compare with what? Use --counts, --against REVISION or --base-bin FILE; or --server or --command twice for programs of your own"
      )
    }
    if outside.isGiven, update || instructions || base.isGiven {
      throw ValidationError(
        "--server and --command exclude --update, --instructions, --against and --base-bin")
    }
    if outside.isGiven, let other = optionsOfRows.first {
      let programs = outside.command.isEmpty ? "--server" : "--command"
      throw ValidationError("\(programs) excludes \(other), which changes nothing about programs of your own")
    }
    try Limits.check(timeBudget, "--time-budget", upTo: Limits.seconds)
    if instructions, !counts, !update { throw ValidationError("--instructions belongs to --counts") }
  }

  /// The options that change nothing about programs of one's own.
  private var optionsOfRows: [String] {
    (rows.arguments + injections.arguments).filter {
      $0.hasPrefix("-") && ($0 != "--connections" || outside.server.isEmpty)
    }
  }

  func run() throws {
    if let json { try ResultsFile.checkWritable(json) }
    for path in [markdown, junit].compactMap({ $0 }) { try AtomicFile.checkWritable(path) }
    let head = try Workers(arguments: injections.arguments)
    var report = GateReport(
      date: Date().formatted(.iso8601), machine: Machine.current(), swift: Machine.swiftVersion,
      libraries: BenchMain.current.libraries, rule: GateRule(),
      command: ShellWord.command(command + rows.arguments), commandOfAnyRow: ShellWord.command(command),
      updateCommand: ShellWord.command(updateCommand + rows.arguments))
    let start = ProcessUsage.now().wall
    func elapsed() -> Double { Double(ProcessUsage.now().wall - start) / 1e9 }
    do {
      if counts || update, !outside.isGiven { try runCounts(head, &report) }
      if base.isGiven { try runTimes(head, &report) }
      if outside.isGiven { try runOutside(head, &report) }
    } catch {
      // A worker that the same key press has ended is not what went wrong.
      try Interruption.check()
      report.reason = "\(error)"
      report.seconds = elapsed()
      report.exit = BenchExit(error).rawValue
      // Readers of the files shall find out, too; what went wrong first is what is said.
      try? write(report)
      throw error
    }
    report.seconds = elapsed()
    try finish(&report)
  }

  private func runCounts(_ head: Workers, _ report: inout GateReport) throws {
    guard !update else { return print("wrote \(try updateCounts(head))") }
    let (path, judged) = try checkCounts(head)
    report.base["counts"] = path
    report.counts = judged
    for row in judged where row.isWorthAWord {
      for line in GateText.lines(row) { print(line) }
    }
  }

  private func runTimes(_ head: Workers, _ report: inout GateReport) throws {
    let (program, name) = try base.program()
    report.base["times"] = name
    let options = TimeGate.Options(
      budget: timeBudget, seed: seed ?? .random(in: 0...UInt64.max), comparesWork: !injections.changesWork)
    var before = head
    (before.program, before.arguments) = (program, [])
    do {
      try before.start().finish()
    } catch let failure as WorkerFailure {
      // The name was wrong, and not the work of this program.
      throw UsageError("there is nothing to compare with: \(failure)")
    }
    let gate = TimeGate(
      base: before.start, head: head.start, rule: report.rule, options: options, progress: Progress())
    let cases = try rows.cases(quick: true, alsoC: false)
    report.times = try gate.run(cases) { row in
      print(GateText.line(row))
      fflush(nil)
    }
    let slower = report.times.filter { $0.outcome == .regressed }.map(\.id)
    if !slower.isEmpty { try blame(Self.only(cases, slower), before, head) }
  }

  private func blame(_ cases: [SuitePlan.Case], _ base: Workers, _ head: Workers) throws {
    guard InstructionCounter.isAvailable else { return }
    let (base, head) = (try InstructionCounter(base), try InstructionCounter(head))
    for item in cases where item.workload.isSingleThreaded {
      for style in item.styles {
        let table = ProfileTable(
          try head.profile(item, style), since: try base.profile(item, style), count: 5)
        print("\(item.id(style)): instructions of an operation that changed most")
        for line in table.text { print("  \(line)") }
      }
    }
  }

  private func finish(_ report: inout GateReport) throws {
    let code = update && report.times.isEmpty ? BenchExit.success : report.code(strict: strict)
    report.exit = code.rawValue
    if !update || !report.times.isEmpty {
      for line in GateText.summary(report) { print(line) }
    }
    try write(report)
    if code != .success { throw ExitCode(code.rawValue) }
  }

  private func write(_ report: GateReport) throws {
    if let json {
      try ResultsFile.write(report, to: json, date: report.date, commit: report.commit ?? SuiteRun.commit)
    }
    if let markdown { try AtomicFile.write(report.markdown, to: markdown) }
    if let junit { try AtomicFile.write(report.junit, to: junit) }
  }

  /// What reproduces this comparison, but for the rows.
  private var command: [String] {
    var words = [BenchMain.current.name, "gate"] + base.arguments
    if counts { words += ["--counts"] + (outside.isGiven ? [] : countsOptions) }
    if let timeBudget { words += ["--time-budget", "\(timeBudget)"] }
    if strict { words.append("--strict") }
    return words + outside.arguments + injections.arguments
  }

  /// What takes the counts of today for the baseline, but for the rows.
  private var updateCommand: [String] {
    [BenchMain.current.name, "gate", "--counts", "--update"] + countsOptions
  }

  private var countsOptions: [String] {
    (instructions ? ["--instructions"] : [])
      + (baselines == Self.usualBaselines ? [] : ["--baselines", baselines])
  }
}
