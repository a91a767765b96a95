import ArgumentParser

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the same work in every style and print one table (this is the default).",
    discussion: """
      Every row does the same work with the same buffers and the same number of
      operations under way, and its result is checked; a row that skips work ends
      the run with code 3.

      Examples:
        uvbench --quick                  eight workloads that answer the question,
                                         in a minute: with bars, and in words
        uvbench --quick --all            all workloads, in some minutes
        uvbench run                      everything, thoroughly
        uvbench run -w tcp-echo          one workload
        uvbench run -w 'fs-*' -s async   some, in one style, beside c
        uvbench run -w tcp-echo --connections 1,50,500 --size 64,4096
        uvbench run -w tcp-echo --rate-of 0.5
                                         latency at half of what C can do
        uvbench run --duration 10 --rounds 15 --json results.json
        uvbench run -w tcp-echo --generator 10.0.0.2:7000
                                         with the load of another machine, where
                                         `uvbench generate --listen` runs
        uvbench run --remote http://127.0.0.1:8080/ --connections 50 --rate 5000
                                         any server, with the same load
        uvbench run --targets -o targets.html
        uvbench run --scale --style async
        uvbench run --overload --rounds 5

      Exit codes: 0 done, 2 wrong use or a file that cannot be used, 3 the work was
      wrong or a worker died.
      """)

  @Flag(
    help: "Eight workloads, or those that --workload names, with short rounds and fewer timers: about 60 s.")
  var quick = false

  @Flag(help: "With --quick: all workloads, in some minutes.")
  var all = false

  @Flag var mode: RunMode?

  @OptionGroup(title: "Rows")
  var rows: CaseOptions

  @Option(help: "Numbers of timers at a time, for million-timers.")
  var timers: NumberList?

  @Option(help: "Spread of the delays in ms, for million-timers; 0 for libuv's own pattern.")
  var spread: NumberList?

  @Option(help: "Length of a sleep in ms, for sleep-chain.")
  var milliseconds: NumberList?

  @Option(help: "Processors for wakeup: 1 shared by both threads, or 2.")
  var cores: NumberList?

  @OptionGroup(title: "How thoroughly")
  var measure: MeasureOptions

  @Option(
    help: "Open loop: operations per second, whatever comes back. Latency counts from when they were due.")
  var rate: Double?

  @Option(help: "Open loop at this share of what the c row can do, such as 0.5.")
  var rateOf: Double?

  @Flag(help: "Open loop: draw the gaps between operations instead of making them equal.")
  var poisson = false

  @Flag(help: "Look for the highest rate that each row keeps up with.")
  var findPeak = false

  @Flag(help: "Show every count: allocations, system calls, jobs, context switches, instructions, …")
  var counters = false

  @Option(
    help:
      "Processors: auto, off, or a list such as 2,3, the first for the measured side. (default: what BENCH_CPUS says, else auto)"
  )
  var pin: Pinning?

  @OptionGroup(title: "Load from another machine")
  var generator: GeneratorOptions

  @Option(
    help: """
      Measure a server that runs already, instead of the workloads: http://HOST[:PORT]/PATH, \
      redis://HOST[:PORT], which sets keys that redis-benchmark sets, too, or echo://HOST:PORT, for one that sends \
      back what it gets. By TLS: https://…, rediss://… and echos://…. Repeatable: servers take turns.
      """)
  var remote: [RemoteServer] = []

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @Flag(help: "Show the workloads, their parameters and styles, and stop.")
  var list = false

  func validate() throws {
    try Limits.check(rate, "--rate", upTo: Limits.rate)
    // Twice the peak is saturated already.
    try Limits.check(rateOf, "--rate-of", upTo: 100)
    guard [rate != nil, rateOf != nil, findPeak].count(where: { $0 }) < 2 else {
      throw ValidationError("--rate, --rate-of and --find-peak exclude each other")
    }
    if let mode {
      var others = rows
      if mode == .targets { others.workload = [] } else { others.style = [] }
      guard others.isEverything, rate == nil, rateOf == nil, !findPeak, !counters, remote.isEmpty,
        generator.generator == nil
      else {
        let what = mode == .targets ? "--workload" : "--style"
        throw ValidationError("--\(mode) chooses cases and load itself; it takes \(what)")
      }
    }
    guard mode != .overload || measure.processes == nil else {
      throw ValidationError("--overload has a process for each row; it takes --rounds and --duration")
    }
    if !remote.isEmpty {
      guard rows.workload.isEmpty, rows.style.isEmpty, generator.generator == nil, !counters else {
        throw ValidationError("--remote excludes --workload, --style, --generator and --counters")
      }
    }
    guard !all || quick && rows.workload.isEmpty else {
      throw ValidationError(
        "--all belongs to --quick, and excludes --workload; without --quick all workloads are measured")
    }
    guard !poisson || rate != nil || rateOf != nil else {
      throw ValidationError("--poisson belongs to --rate or --rate-of")
    }
  }

  func run() throws {
    if list { return Listing.show(BenchMain.current.workloads) }
    switch mode {
    case .targets: return try runTargets()
    case .scale: return try runScale()
    case .overload: return try runOverload()
    case nil: break
    }
    let started = ProcessUsage.now().wall
    var plan = try plan()
    try output.checkWritable()
    try pin?.apply()
    let workers = try Workers(arguments: generator.arguments)
    var instructions: [String: CountFigure] = [:]
    if counters, InstructionCounter.isAvailable {
      // A third of the time: the rest is for what the run is about.
      instructions = try InstructionCounter(workers)
        .count(plan.cases, within: plan.budget.map { $0 / 3e9 })
    }
    plan.spend(Double(ProcessUsage.now().wall - started))
    let load =
      remote.isEmpty
      ? generator.generator.map { "the load came from \($0.host)" } : "the servers ran already"
    let suite = SuiteRun(plan: plan, load: load, instructions: instructions) { rows in
      for line in ResultTable.lines(rows) + Listing.note(rows) { print(line) }
      for line in LatencyVerdict.lines(rows) { print("  " + line) }
      if counters {
        for line in ResultTable.counterLines(rows.map { $0.adding(instructions) }) { print(line) }
      }
      print()
      fflush(nil)
    }
    let results = try suite.results { id in
      guard let server = remote.first(where: { $0.style == id.style }) else { return try workers.start() }
      return try RemoteWorker(server)
    }
    for line in ResultTable.legend { print(line) }
    for line in Listing.environment(results) { print(line) }
    let bars = BarPicture(results, isColored: BarPicture.isColorWanted)
    for line in bars.lines + PlainSummary(results).sentences { print(line) }
    try output.write(results, markdown: try ReportFormat.markdown.text([results]))
    if output.output == nil, output.json == nil, !bars.lines.isEmpty {
      print(
        "-o page.html writes a page with charts, --json run.json the figures, for `\(BenchMain.current.name) compare`."
      )
    }
  }

  private func plan() throws -> SuitePlan {
    let more = [
      ("timers", timers), ("spread", spread), ("milliseconds", milliseconds), ("cores", cores),
    ]
    let isShort = quick && !all && rows.isEverything && more.allSatisfy { $0.1 == nil }
    var cases =
      if !remote.isEmpty {
        try rows.cases(of: RemoteWorkload.all(for: remote), quick: quick, alsoC: false, more: more)
      } else if isShort, generator.generator == nil, !BenchMain.current.quick.isEmpty {
        try BenchMain.current.quick.flatMap { item in
          try SuitePlan.cases(
            BenchMain.current.workloads, patterns: [item.workload],
            overrides: item.parameters.mapValues { [$0] }, quick: true)
        }
      } else {
        try rows.cases(quick: quick, alsoC: true, more: more)
      }
    var load = SuitePlan.Load.closed
    if let rate { load = .rate(Arrivals(rate: rate, isPoisson: poisson)) }
    if let rateOf { load = .shareOfPeak(rateOf, isPoisson: poisson) }
    if findPeak { load = .findPeak }
    if generator.generator != nil {
      cases.removeAll { !$0.workload.isReachedByNetwork }
      guard !cases.isEmpty else {
        throw UsageError("none of the chosen workloads has a load that could come from another machine")
      }
    }
    if load != .closed {
      cases.removeAll { !$0.workload.hasOpenLoop }
      guard !cases.isEmpty else {
        let others = BenchMain.current.workloads.filter { $0.hasOpenLoop }.map { $0.name }
        throw UsageError(
          "none of the chosen workloads has an open loop"
            + (others.isEmpty ? "" : "; there are \(others.joined(separator: ", "))"))
      }
    }
    return measure.plan(
      cases, quick: quick, budget: quick && !all ? 50 : nil, counts: remote.isEmpty, load: load)
  }
}
