import ArgumentParser

struct SelftestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    // Not a command below `gate`, whose help would show a list of commands and not its options:
    // see `RootCommand.arguments`.
    commandName: "gate selftest",
    abstract: "How often the gate raises a false alarm, and how often it misses a regression.",
    discussion: """
      Compares this program with itself, and with itself doing a known amount more
      work, which is real work that is not counted. Figures come with Clopper and
      Pearson's intervals. To claim that fewer than one in a hundred comparisons is
      a false alarm takes 300 of them: with --record the figures of several runs
      add up.

      Examples:
        uvbench gate selftest --quick          at most five minutes
        uvbench gate selftest --record s.json  at most an hour
        uvbench gate selftest --only equals --record f
                                               nothing but false alarms
      """)

  /// Something more that can be counted, one per cent more instructions, and programs timed that are the same
  /// or do more.
  enum Part: String, CaseIterable, ExpressibleByArgument { case counts, instructions, equals, changes }

  @Flag(help: "At most five minutes.")
  var quick = false

  @Option(help: "Minutes that it may take. (default: 60, with --quick 5)")
  var minutes: Double?

  @Option(help: "A file in which the figures of several runs add up.")
  var record: String?

  @Option(help: "Changes to inject, in per cent. (default: 3,5,10,20, with --quick 5,10)")
  var inject: NumberList?

  @Option(help: "Also: processes that are by chance up to so many per cent slower, against each other.")
  var injectBias: Double?

  @Option(name: .shortAndLong, help: "Only workloads whose name fits. Repeatable. (default: three of them)")
  var workload: [String] = []

  @Option(name: .shortAndLong, help: "Only this style. Repeatable. (default: the first and the last of each)")
  var style: [String] = []

  @Option(help: "Where to write the figures as JSON.")
  var json: String?

  @Option(help: "Only counts, instructions, equals or changes. Repeatable.")
  var only: [Part] = []

  func validate() throws {
    try Limits.check(minutes, "--minutes", upTo: Limits.seconds / 60)
    if let inject, !inject.values.allSatisfy((0...1000).contains) {
      throw ValidationError("--inject: a change is from 0 to 1000 per cent")
    }
  }

  func run() throws {
    for path in [json, record].compactMap({ $0 }) { try AtomicFile.checkWritable(path) }
    let parts = Set(only.isEmpty ? Part.allCases : only)
    let started = ProcessUsage.now().wall
    let limit = started + UInt64((minutes ?? (quick ? 5 : 60)) * 60e9)
    var test = Selftest(workers: try Workers(), cases: try cases(), deadline: limit, record: try read())
    if parts.contains(.counts) { try test.counts(repetitions: quick ? 1 : 10, save: save) }
    if parts.contains(.instructions), InstructionCounter.isAvailable {
      // Times need the most of what there is.
      let share = parts == [.instructions] ? 1 : 0.3
      try test.instructions(repetitions: quick ? 1 : 10, within: share * Double(limit - started) / 1e9)
    }
    if !parts.isDisjoint(with: [.equals, .changes]) {
      let changes = inject?.values ?? (quick ? [5, 10] : [3, 5, 10, 20])
      try test.times(
        parts.contains(.changes) ? changes.map { "\($0)" } : [], equals: parts.contains(.equals),
        bias: injectBias, save: save)
    }
    try save(test.record)
    let summary = SelftestSummary(test.record)
    for line in test.record.lines { print(line) }
    print("this run: \(Figure.fixed(Double(ProcessUsage.now().wall - started) / 60e9, digits: 1)) minutes")
    if let json { try AtomicFile.write(try LineJSON.string(summary, pretty: true) + "\n", to: json) }
  }

  private func cases() throws -> [SuitePlan.Case] {
    let patterns = workload.isEmpty ? BenchMain.current.selftest : workload
    // A batch of a hundred thousand timers is too long for a quad.
    let hasTimers = BenchMain.current.workloads.contains { workload in
      workload.parameters.contains { $0.name == "timers" } && Glob.isChosen(workload.name, by: patterns)
    }
    let all = try SuitePlan.cases(
      BenchMain.current.workloads, patterns: patterns, styles: style.map(Style.init(rawValue:)),
      overrides: hasTimers ? ["timers": [20_000]] : [:], quick: true)
    // One case of each workload, and of that the cheapest row and the one with most of Swift.
    var seen: Set<String> = []
    return all.filter { seen.insert($0.workload.name).inserted }.flatMap { item in
      let ends = Set([item.styles.first, item.styles.last].compactMap { $0 })
      return item.styles.filter { !style.isEmpty || ends.contains($0) }
        .map { SuitePlan.Case(workload: item.workload, parameters: item.parameters, styles: [$0]) }
    }
  }

  private var fingerprint: String {
    let libraries = BenchMain.current.libraries.sorted { $0.key < $1.key }
    return Machine.current().fingerprint(
      swift: Machine.swiftVersion, libuv: libraries.map { "\($0.key) \($0.value)" }.joined())
  }

  private func read() throws -> SelftestRecord {
    guard let record, let text = try TextFile.text(of: record) else {
      return SelftestRecord(fingerprint: fingerprint)
    }
    guard let old = try? LineJSON.value(SelftestRecord.self, text) else {
      throw UsageError("\(record) is broken: it is no record of a selftest")
    }
    guard old.fingerprint == fingerprint else {
      throw NotComparable("\(record) is of another machine or other versions; use another file")
    }
    return old
  }

  private func save(_ value: SelftestRecord) throws {
    guard let record else { return }
    try AtomicFile.write(try LineJSON.string(value, pretty: true) + "\n", to: record)
  }
}
